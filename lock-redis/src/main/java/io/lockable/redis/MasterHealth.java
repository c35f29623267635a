package io.lockable.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.RedisFailures;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * Tracks whether a master answers, from the outcome of its last commands.
 *
 * <p>
 * Invariant: a master is silent while a command is unanswered for longer than the timeout
 * and no other command was answered since. A silent master gets no commands. After a
 * command that failed only after the timeout, one command at a time is sent until one is
 * answered. After refused connections, commands pause briefly. A hanging master therefore
 * costs its timeout once, and neither commands nor threads nor memory pile up.
 */
final class MasterHealth {

	/**
	 * The timeout of a master before its first answer or failure: the client has to
	 * connect first.
	 */
	private static final long CONNECT_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

	/**
	 * A single refused connection may just have been idle for too long.
	 */
	private static final int MAX_REFUSED_CONNECTIONS = 2;

	private static final long REST = TimeUnit.MILLISECONDS.toNanos(100);

	private final long timeout;

	private final EngineRuntime runtime;

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicInteger refusedConnections = new AtomicInteger();

	private volatile long waitingSince;

	private volatile boolean known;

	private volatile boolean failing;

	private volatile long restingUntil;

	MasterHealth(long timeout, EngineRuntime runtime) {
		this.timeout = timeout;
		this.runtime = runtime;
		this.restingUntil = runtime.now();
	}

	/**
	 * Returns the time limit for an answer.
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
		// Set before the count: a thread that sees the count must not see the time of an
		// earlier wait.
		if (this.unanswered.get() == 0) {
			this.waitingSince = sentAt;
		}
		this.unanswered.getAndIncrement();
	}

	void ended(long sentAt, @Nullable Throwable failure) {
		long now = this.runtime.now();
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
