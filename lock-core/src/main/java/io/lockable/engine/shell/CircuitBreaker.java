package io.lockable.engine.shell;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Counts the unanswered commands of one server, and rejects further commands while the
 * server is silent. Commands, threads and memory therefore stay bounded during an outage.
 *
 * <p>
 * A server is silent while commands are unanswered and one of these conditions holds:
 * <ul>
 * <li>no answer has arrived for the command timeout;</li>
 * <li>the last command failed late, for example by a timeout of the client, without an
 * answer to another command meanwhile; several commands, or one command for a moment, are
 * unanswered;</li>
 * <li>{@value #MAX_UNANSWERED} commands are unanswered, and no answer has arrived for a
 * moment.</li>
 * </ul>
 * The first answer ends the silence. Until then, an asynchronous client receives a probe
 * at intervals, because it may look for another server only when a command is late. With
 * a blocking client, each command fails by its own timeout, so a few commands are in
 * flight at a time.
 *
 * <p>
 * Thread-safe.
 */
final class CircuitBreaker {

	static final int MAX_UNANSWERED = 10_000;

	static final long PROBE_INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

	static final int MAX_FAILING = 8;

	private static final long LATE = TimeUnit.MILLISECONDS.toNanos(250);

	private final long patience;

	private final long late;

	private final boolean probing;

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicLong probedAt = new AtomicLong();

	private volatile long quietSince;

	private volatile boolean failing;

	/**
	 * Creates a closed breaker.
	 * @param patience the command timeout
	 * @param probing whether a silent server receives a probe at intervals
	 */
	CircuitBreaker(Duration patience, boolean probing) {
		this(patience.toNanos(), Math.min(LATE, patience.toNanos() / 2), probing);
	}

	private CircuitBreaker(long patience, long late, boolean probing) {
		this.patience = patience;
		this.late = late;
		this.probing = probing;
	}

	/**
	 * Creates a breaker for a store that bounds its commands itself.
	 * @return a breaker that stays closed
	 */
	static CircuitBreaker alwaysClosed() {
		return new CircuitBreaker(Long.MAX_VALUE, Long.MAX_VALUE, false);
	}

	/**
	 * Counts a command, unless the server is silent.
	 * @param now the time
	 * @return whether to send the command
	 */
	boolean tryStart(long now) {
		if (isOpen(now) && !isProbe(now)) {
			return false;
		}
		// Set before the count: a thread that sees the count sees no earlier silence.
		if (this.unanswered.get() == 0) {
			this.quietSince = now;
			this.probedAt.set(now);
		}
		this.unanswered.getAndIncrement();
		return true;
	}

	/**
	 * Records the outcome of a counted command.
	 * @param startedAt the time at which it was counted
	 * @param now the time
	 * @param failure the failure, or {@code null} for an answer
	 */
	void ended(long startedAt, long now, @Nullable Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		boolean alive = cause == null || now - startedAt < this.late
				|| (cause instanceof LockStoreException known && known.isRetryable());
		if (alive) {
			this.failing = false;
			this.quietSince = now;
		}
		else if (startedAt - this.quietSince >= 0) {
			this.failing = true;
		}
		this.unanswered.getAndDecrement();
	}

	/**
	 * Records that a counted command is not sent.
	 */
	void dropped() {
		this.unanswered.getAndDecrement();
	}

	/**
	 * Returns whether the caller of a counted command has already timed out.
	 * @param startedAt the time at which it was counted
	 * @param now the time
	 * @return whether to drop it
	 */
	boolean isOverdue(long startedAt, long now) {
		return now - startedAt >= this.patience;
	}

	private boolean isOpen(long now) {
		int commands = this.unanswered.get();
		if (commands == 0) {
			return false;
		}
		long quiet = now - this.quietSince;
		if (this.failing) {
			return commands >= MAX_FAILING || quiet >= this.late;
		}
		return quiet >= this.patience || (commands >= MAX_UNANSWERED && quiet >= this.late);
	}

	private boolean isProbe(long now) {
		long last = this.probedAt.get();
		return this.probing && now - last >= PROBE_INTERVAL && this.probedAt.compareAndSet(last, now);
	}

}
