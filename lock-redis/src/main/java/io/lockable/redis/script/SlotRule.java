package io.lockable.redis.script;

import org.jspecify.annotations.Nullable;

/**
 * Whether one script may have the keys of several locks, and the handling of a refusal.
 * The same rule applies to every script over several locks, such as {@code extend} and
 * {@code acquire_all}.
 *
 * <p>
 * Such a script isolates its locks: the answer for a lock that raised an error is
 * {@link #FAILED}, and the others are not affected. A server may also refuse the script
 * as a whole, for example because the keys are in different slots. In both cases, each
 * lock without an answer is run again alone, and fails only with its own error.
 *
 * <p>
 * After one refusal of different slots, a server never gets them together again. Such a
 * server is a shard of a cluster behind a single-server client, or a proxy.
 *
 * @since 0.1.0
 */
public final class SlotRule {

	/**
	 * The answer of a script for a lock that raised an error; never a token nor a
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
	 * Returns whether the client connects to a single server.
	 * @return {@code false} for a cluster
	 */
	public boolean isSingleServer() {
		return this.singleServer;
	}

	/**
	 * Returns whether one script may have keys of different slots.
	 * @return {@code false} for a cluster, and after the server has refused such a script
	 */
	public boolean mayMix() {
		return this.singleServer && !this.refused;
	}

	/**
	 * Decides whether one lock of a script over several locks must be run again alone.
	 * @param answer the answer for that lock, or {@code null} if the script failed
	 * @param failure the failure of the script as a whole, or {@code null}
	 * @return {@code false} if the answer or the failure is final for the lock
	 */
	public boolean mustRunAlone(@Nullable Long answer, @Nullable Throwable failure) {
		if (failure == null) {
			return answer != null && answer == FAILED;
		}
		this.refused |= RedisFailures.areSlotsRefused(failure);
		return RedisFailures.isScriptRefused(failure);
	}

}
