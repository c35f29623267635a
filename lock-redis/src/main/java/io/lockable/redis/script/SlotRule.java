package io.lockable.redis.script;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Whether one script may have the keys of several locks, and what happens to each lock
 * when the server refuses that. The same rule holds for every script over several locks:
 * {@code batch}, {@code extend} and {@code acquire_all}.
 *
 * <p>
 * Such a script isolates its locks: the answer for one that raised an error is
 * {@link #FAILED}, and the others are not affected. A server may also refuse the script
 * as a whole, for instance because the keys are in different slots. In both cases each
 * lock that has no answer is run again by itself, and fails with its own error only.
 *
 * <p>
 * A server that refuses different slots once is never sent them together again: a shard
 * of a cluster behind a client for a single server, or a proxy.
 *
 * @since 0.1.0
 */
@Internal
public final class SlotRule {

	/**
	 * The answer of a script for a lock that raised an error: neither a token nor a
	 * remaining lease.
	 */
	public static final long FAILED = -(1L << 53);

	private final boolean singleServer;

	private volatile boolean refused;

	/**
	 * Creates the rule of one server or cluster.
	 * @param singleServer whether the client is connected to a single server
	 */
	public SlotRule(boolean singleServer) {
		this.singleServer = singleServer;
	}

	/**
	 * Returns whether the client is connected to a single server, not to a cluster.
	 * @return {@code false} for a cluster
	 */
	public boolean isSingleServer() {
		return this.singleServer;
	}

	/**
	 * Returns whether one script may have keys of different slots.
	 * @return {@code false} for a cluster, and once the server has refused it
	 */
	public boolean mayMix() {
		return this.singleServer && !this.refused;
	}

	/**
	 * Decides whether one lock of a script over several must be run again by itself.
	 * @param answer the answer for that lock, if the script was run
	 * @param failure the failure of the script as a whole, if it failed
	 * @return {@code false} if the answer or the failure counts for the lock
	 */
	public boolean mustRunAlone(@Nullable Long answer, @Nullable Throwable failure) {
		if (failure == null) {
			return answer != null && answer == FAILED;
		}
		this.refused |= RedisFailures.areSlotsRefused(failure);
		return RedisFailures.isScriptRefused(failure) || RedisFailures.isInterrupted(failure);
	}

}
