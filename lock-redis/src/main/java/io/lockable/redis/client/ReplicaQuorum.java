package io.lockable.redis.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.text.DurationText;

/**
 * The number of acknowledgements that a write requires.
 *
 * <p>
 * Invariant: the expected number of replicas only grows. A master that has lost its
 * replicas, or has just been promoted, reports none. "All of none" must not pass.
 *
 * @since 0.1.0
 */
public final class ReplicaQuorum {

	private static final Pattern COUNT = Pattern.compile("connected_slaves:(\\d+)");

	private static final long COUNT_EVERY = Duration.ofMinutes(1).toNanos();

	private final int configured;

	private final IntUnaryOperator needed;

	private final Duration timeout;

	private final AtomicInteger seen = new AtomicInteger(1);

	private final EngineRuntime runtime;

	private final AtomicLong countedAt;

	/**
	 * Creates a quorum.
	 * @param configured the number of replicas that the master should have; 0 for the
	 * largest number seen
	 * @param needed the required acknowledgements for a number of replicas
	 * @param timeout the longest wait for acknowledgements
	 * @param runtime the time of the store
	 */
	public ReplicaQuorum(int configured, IntUnaryOperator needed, Duration timeout, EngineRuntime runtime) {
		this.configured = configured;
		this.needed = needed;
		this.timeout = timeout;
		this.runtime = runtime;
		this.countedAt = new AtomicLong(runtime.now());
	}

	Duration timeout() {
		return this.timeout;
	}

	int needed() {
		return this.needed.applyAsInt(replicas());
	}

	private int replicas() {
		return (this.configured > 0) ? this.configured : this.seen.get();
	}

	/**
	 * Returns whether a master is to be asked for the number of its replicas. After
	 * {@code true}, the caller asks it.
	 * @param counted whether that master has been asked before
	 * @return whether the number is not configured, and no master was asked recently
	 */
	boolean isCountDue(boolean counted) {
		if (this.configured > 0) {
			return false;
		}
		if (!counted) {
			return true;
		}
		long last = this.countedAt.get();
		long now = this.runtime.now();
		return now - last >= COUNT_EVERY && this.countedAt.compareAndSet(last, now);
	}

	/**
	 * Records the number of replicas that a master reports. If the application reads from
	 * replicas, a replica may have answered instead; its report does not count.
	 * @param replication the replication section of {@code INFO}
	 * @return whether it is the section of a master
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
	 * Records a number of existing replicas.
	 * @param replicas the number
	 */
	void saw(int replicas) {
		this.seen.accumulateAndGet(replicas, Math::max);
	}

	/**
	 * Returns the failure of an acquisition with too few acknowledgements.
	 * @param acknowledged the number of acknowledgements
	 * @param needed the required number
	 * @return the retryable failure
	 */
	LockStoreException missing(long acknowledged, int needed) {
		return new LockStoreException("%d of %d replicas acknowledged within %s, but %d must acknowledge"
			.formatted(acknowledged, Math.max(replicas(), needed), DurationText.of(timeout()), needed), null, true);
	}

}
