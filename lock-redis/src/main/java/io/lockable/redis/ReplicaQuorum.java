package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.DurationText;
import io.lockable.LockStoreException;

/**
 * How many acknowledgements are enough.
 *
 * <p>
 * Invariant: the number of replicas that should be there only grows. A master that has
 * lost them, or one that has just taken another's place, says of itself that it has none;
 * "all of none" must not pass.
 */
final class ReplicaQuorum {

	private static final Pattern COUNT = Pattern.compile("connected_slaves:(\\d+)");

	private static final long COUNT_EVERY = Duration.ofMinutes(1).toNanos();

	private final Acknowledgements acknowledgements;

	private final AtomicInteger seen = new AtomicInteger(1);

	private final AtomicLong countedAt = new AtomicLong(System.nanoTime());

	private volatile boolean counted;

	ReplicaQuorum(Acknowledgements acknowledgements) {
		this.acknowledgements = acknowledgements;
	}

	Duration timeout() {
		return this.acknowledgements.timeout();
	}

	int needed() {
		return this.acknowledgements.from().of(replicas());
	}

	private int replicas() {
		int configured = this.acknowledgements.replicas();
		return (configured > 0) ? configured : this.seen.get();
	}

	/**
	 * Returns whether the number of replicas must be asked for on a new connection.
	 * @return whether it is not configured
	 */
	boolean isCounting() {
		return this.acknowledgements.replicas() == 0;
	}

	/**
	 * Returns whether the number of replicas is to be asked for, which is then up to the
	 * caller.
	 * @return whether it was never told, or not for a while
	 */
	boolean isCountDue() {
		if (!isCounting()) {
			return false;
		}
		if (!this.counted) {
			return true;
		}
		long last = this.countedAt.get();
		long now = System.nanoTime();
		return now - last >= COUNT_EVERY && this.countedAt.compareAndSet(last, now);
	}

	/**
	 * Takes note of what a master says of its replicas. A replica may have been asked
	 * instead, where the application reads from those: it knows nothing of the others.
	 * @param replication the section of {@code INFO}
	 */
	void counted(String replication) {
		Matcher matcher = COUNT.matcher(replication);
		if (replication.contains("role:master") && matcher.find()) {
			saw(Integer.parseInt(matcher.group(1)));
			this.counted = true;
		}
	}

	/**
	 * Takes note of replicas that are there.
	 * @param replicas how many
	 */
	void saw(int replicas) {
		this.seen.accumulateAndGet(replicas, Math::max);
	}

	/**
	 * Returns the failure of an acquisition that too few replicas have.
	 * @param acknowledged how many have it
	 * @param needed how many must have it
	 * @return the failure; another try may succeed
	 */
	LockStoreException missing(long acknowledged, int needed) {
		return new LockStoreException("%d of %d replicas acknowledged within %s, but %d must acknowledge"
			.formatted(acknowledged, Math.max(replicas(), needed), DurationText.of(timeout()), needed), null, true);
	}

	/**
	 * Returns the failure of an acquisition of which nobody knows how many replicas have
	 * it.
	 * @param cause why the answer did not come
	 * @return the failure
	 */
	LockStoreException unknown(Throwable cause) {
		LockStoreException translated = RedisFailures.translate(cause);
		return new LockStoreException(
				"The number of acknowledgements is unknown, but %d of %d replicas must acknowledge: %s"
					.formatted(needed(), Math.max(replicas(), needed()), translated.getMessage()),
				cause, translated.isRetryable());
	}

}
