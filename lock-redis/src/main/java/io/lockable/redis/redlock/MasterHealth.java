package io.lockable.redis.redlock;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.redis.script.RedisFailures;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * Whether a master answers, as far as its last commands show.
 *
 * <p>
 * Invariant: while a command has gone unanswered for longer than the timeout, and nothing
 * else was answered since, the master is silent, and nothing is sent to it. After a
 * command that failed only after the timeout, one command at a time is sent until one is
 * answered. After refused connections, nothing is sent for a moment. So a master that
 * hangs costs its timeout once, and neither commands nor threads nor memory pile up.
 */
final class MasterHealth {

	/**
	 * The timeout of a master that has neither answered nor failed yet: the client has to
	 * connect.
	 */
	private static final long CONNECT_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

	/**
	 * One refused connection may be one that had been idle for too long.
	 */
	private static final int MAX_REFUSED_CONNECTIONS = 2;

	private static final long REST = TimeUnit.MILLISECONDS.toNanos(100);

	private final long timeout;

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicInteger refusedConnections = new AtomicInteger();

	private volatile long waitingSince;

	private volatile boolean known;

	private volatile boolean failing;

	private volatile long restingUntil = System.nanoTime();

	MasterHealth(long timeout) {
		this.timeout = timeout;
	}

	/**
	 * Returns how long to wait for an answer.
	 * @return the time in nanoseconds
	 */
	long timeout() {
		return this.known ? this.timeout : Math.max(this.timeout, CONNECT_TIMEOUT);
	}

	boolean isSilent(long now) {
		return now - this.restingUntil < 0
				|| (this.unanswered.get() > 0 && (this.failing || now - this.waitingSince >= timeout()));
	}

	void sending(long sentAt) {
		// Before the count: a thread that sees the count must not see the time of an
		// earlier wait.
		if (this.unanswered.get() == 0) {
			this.waitingSince = sentAt;
		}
		this.unanswered.getAndIncrement();
	}

	void ended(long sentAt, @Nullable Throwable failure) {
		long now = System.nanoTime();
		this.known = true;
		if (failure == null) {
			this.failing = false;
			this.refusedConnections.set(0);
		}
		else {
			if (now - sentAt >= this.timeout) {
				this.failing = true;
			}
			if (RedisFailures.isCausedBy(failure, RedisConnectionFailureException.class)
					&& this.refusedConnections.incrementAndGet() >= MAX_REFUSED_CONNECTIONS) {
				this.restingUntil = now + REST;
			}
		}
		this.waitingSince = now;
		this.unanswered.decrementAndGet();
	}

}
