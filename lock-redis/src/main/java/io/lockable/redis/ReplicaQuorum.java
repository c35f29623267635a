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
	 * Returns whether a master is to be asked for the number of its replicas, which is
	 * then up to the caller.
	 * @param counted whether that master has been asked
	 * @return whether the number is not configured, and no master was asked for a while
	 */
	boolean isCountDue(boolean counted) {
		if (this.acknowledgements.replicas() > 0) {
			return false;
		}
		if (!counted) {
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
	 * @return whether it is that of a master
	 */
	boolean counted(String replication) {
		Matcher matcher = COUNT.matcher(replication);
		if (!replication.contains("role:master") || !matcher.find()) {
			return false;
		}
		saw(Integer.parseInt(matcher.group(1)));
		return true;
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

}
