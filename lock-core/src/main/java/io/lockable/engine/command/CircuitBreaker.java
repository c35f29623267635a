package io.lockable.engine.command;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.Internal;
import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Counts the commands that one server has not answered yet, and refuses further ones
 * while that server is silent: commands, threads and memory stay bounded during an
 * outage.
 *
 * <p>
 * A server is silent while commands are unanswered and either
 * <ul>
 * <li>nothing was answered for as long as a command may take, or</li>
 * <li>the last command failed late, as by a time-out of the client, without an answer to
 * another one meanwhile, and a few are unanswered, or one for a moment, or</li>
 * <li>{@value #MAX_UNANSWERED} commands are unanswered and nothing was answered for a
 * moment.</li>
 * </ul>
 * The first answer ends the silence. Until then a client that queues commands gets a
 * probe at intervals, because it may look for another server only when a command is late.
 * Over a client that blocks, each command fails by its own time-out, so there are a few
 * at a time. Before the first answer, a server is not silent until the connect timeout of
 * the store is over as well.
 *
 * <p>
 * Thread-safe. The time is real time, also on an engine with another clock: a test that
 * moves its clock does not make a server silent.
 */
@Internal
public final class CircuitBreaker {

	static final int MAX_UNANSWERED = 10_000;

	static final long PROBE_INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

	static final int MAX_FAILING = 8;

	private static final long LATE = TimeUnit.MILLISECONDS.toNanos(250);

	private final long patience;

	private final long late;

	private final FirstAnswer firstAnswer;

	private final boolean probing;

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicLong probedAt = new AtomicLong();

	private volatile long quietSince;

	private volatile boolean failing;

	/**
	 * Creates a closed breaker.
	 * @param patience how long a command may take
	 * @param firstAnswer the first answer of the store, by real time
	 * @param probing whether a silent server gets a probe at intervals
	 */
	CircuitBreaker(Duration patience, FirstAnswer firstAnswer, boolean probing) {
		this(patience.toNanos(), Math.min(LATE, patience.toNanos() / 2), firstAnswer, probing);
	}

	private CircuitBreaker(long patience, long late, FirstAnswer firstAnswer, boolean probing) {
		this.patience = patience;
		this.late = late;
		this.firstAnswer = firstAnswer;
		this.probing = probing;
	}

	/**
	 * Creates a breaker for a store that bounds by itself what it sends.
	 * @return a breaker that stays closed
	 */
	static CircuitBreaker alwaysClosed() {
		return new CircuitBreaker(Long.MAX_VALUE, Long.MAX_VALUE, new FirstAnswer(Duration.ZERO), false);
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
		// Before the count: a thread that sees the count sees no earlier silence
		if (this.unanswered.get() == 0) {
			this.quietSince = now;
			this.probedAt.set(now);
		}
		this.unanswered.getAndIncrement();
		this.firstAnswer.asked(now);
		return true;
	}

	/**
	 * Notes the outcome of a command that was counted.
	 * @param startedAt when it was counted
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
		this.firstAnswer.answered(now);
		this.unanswered.getAndDecrement();
	}

	/**
	 * Notes that a command that was counted is not sent.
	 */
	void dropped() {
		this.unanswered.getAndDecrement();
	}

	/**
	 * Returns whether nobody waits any more for a command that was counted.
	 * @param startedAt when it was counted
	 * @param now the time
	 * @return whether to drop it
	 */
	boolean isOverdue(long startedAt, long now) {
		return now - this.firstAnswer.startOf(startedAt) >= this.patience;
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
		return now - this.firstAnswer.startOf(this.quietSince) >= this.patience
				|| (commands >= MAX_UNANSWERED && quiet >= this.late);
	}

	private boolean isProbe(long now) {
		long last = this.probedAt.get();
		return this.probing && now - last >= PROBE_INTERVAL && this.probedAt.compareAndSet(last, now);
	}

}
