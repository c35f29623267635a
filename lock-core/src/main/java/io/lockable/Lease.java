package io.lockable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A handle on an acquired lock, which reports how long the lock is held and releases it.
 *
 * <p>
 * A lease belongs to no thread: any thread may use and close it. It is valid until its
 * <b>local deadline</b> on the monotonic clock of this machine. The deadline is the time
 * at which the command was sent, plus the lease, minus an allowance for clock drift. A
 * lease therefore never outlasts the lease on the server.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface Lease extends AutoCloseable {

	/**
	 * Returns the full name of the lock. For a lease of
	 * {@linkplain DistributedLocks#getAll several keys}, it lists their names, separated
	 * by commas, for display. {@link #keys()} returns each key.
	 * @return the key as stored
	 */
	String key();

	/**
	 * Returns the full names of all locks that this lease holds.
	 * @return the keys as stored, in order of acquisition; unmodifiable, one element for
	 * one lock
	 */
	default List<String> keys() {
		return List.of(key());
	}

	/**
	 * Returns the owner token: the value in the store while this lease holds the lock. It
	 * is unique to this acquisition.
	 * @return the owner token
	 */
	String owner();

	/**
	 * Returns the fencing token: a number that grows from one acquisition of this key to
	 * the next. Pass it to the protected resource, which rejects a token smaller than the
	 * largest one it has seen. For a lease of {@linkplain DistributedLocks#getAll several
	 * keys}, it is the largest of their tokens. It grows from one acquisition of the same
	 * keys to the next. Acquisitions with only some keys in common compare by
	 * {@link #fencingToken(String)}.
	 * @return the fencing token, positive
	 */
	long fencingToken();

	/**
	 * Returns the fencing token of one key of this lease. A lease of
	 * {@linkplain DistributedLocks#getAll several keys} has a token for each key. That
	 * token grows with each acquisition of the key, alone or with other keys.
	 * @param key the full name of the lock
	 * @return the fencing token, positive
	 * @throws IllegalArgumentException if it is not a key of this lease
	 */
	default long fencingToken(String key) {
		if (!key.equals(key())) {
			throw new IllegalArgumentException("'key' must be '%s', was '%s'".formatted(key(), key));
		}
		return fencingToken();
	}

	/**
	 * Returns whether the lock is held, by the local deadline. Sends no command.
	 * @return {@code false} after a release, after a loss, and from the local deadline on
	 */
	boolean isHeld();

	/**
	 * Returns the time until the local deadline, by the local monotonic clock. It is
	 * never longer than the lease on the server. After a hand-off, it is shorter than
	 * {@link LockOptions#lease()} until its first extension. Sends no command.
	 * @return the time to the local deadline without renewal; zero if the lease is no
	 * longer held
	 */
	Duration remaining();

	/**
	 * Extends the lease to at least the given time from now. Never shortens the lease.
	 * Blocks until the server answers.
	 * @param lease the time from now, from one millisecond to
	 * {@link LockOptions#MAX_LEASE}
	 * @return {@code false} if the lock is no longer held; the lease is then lost
	 * @throws IllegalArgumentException if {@code lease} is out of range
	 * @throws LockStoreException if the store failed; the lease then ends at its previous
	 * deadline or later
	 */
	boolean extend(Duration lease);

	/**
	 * Returns a stage that completes when the loss of the lease is detected, or its local
	 * deadline passes. The stage never completes after a release, and never
	 * exceptionally.
	 *
	 * <p>
	 * Dependent actions run on an engine thread and must not block. Pass an executor to
	 * the {@code …Async} methods for longer actions. Each call, and each stage made from
	 * the result, uses memory until the lease ends: a loop asks {@link #isHeld()}
	 * instead.
	 * @return the stage of the loss
	 */
	CompletionStage<LockLost> lost();

	/**
	 * Releases the lock. Blocks until the server answers, except with
	 * {@link ReleaseMode#PIPELINED}. A repeated release returns the result of the first
	 * one.
	 * @return {@code false} if the lock was no longer held; the lock of a new holder is
	 * unchanged
	 * @throws LockStoreException if the store failed; the lease is over locally, and the
	 * release is retried in the background until the lease expires on the server
	 */
	boolean release();

	/**
	 * Releases the lock as {@link #release} does, without blocking the caller.
	 *
	 * <p>
	 * Dependent actions run on a thread of the engine or of the store's client, and must
	 * not block. Pass an executor to the {@code …Async} methods for longer actions.
	 * @return a stage that completes with the result of {@link #release} when the server
	 * answers, or exceptionally with {@link LockStoreException}
	 */
	CompletionStage<Boolean> releaseAsync();

	/**
	 * Ends this lease now, as {@link #release} does, while the store
	 * {@linkplain io.lockable.store.LockStore#keep keeps} the lock for the given time.
	 * The store keeps the lock even if this instance stops meanwhile. The given time
	 * replaces {@link LockOptions#minHold()}. Has no effect on a released lease. Blocks
	 * as {@link #release} does.
	 * @param rest the time from now for which the lock stays locked, from zero to
	 * {@link LockOptions#MAX_LEASE}
	 * @return {@code false} if the lock was no longer held; the lock of a new holder is
	 * unchanged
	 * @throws IllegalArgumentException if {@code rest} is out of range
	 * @throws LockStoreException as {@link #release}
	 */
	boolean releaseAfter(Duration rest);

	/**
	 * Ends this lease as {@link #releaseAfter} does, without blocking the caller. For
	 * example, no work ran under the lease, because another required lock was refused:
	 * with a rest of zero, {@link LockOptions#minHold()} does not keep the lock.
	 * @param rest the time from now for which the lock stays locked, from zero to
	 * {@link LockOptions#MAX_LEASE}
	 * @return a stage that completes as that of {@link #releaseAsync}
	 * @throws IllegalArgumentException if {@code rest} is out of range
	 */
	CompletionStage<Boolean> releaseAfterAsync(Duration rest);

	/**
	 * Releases the lock as {@link #release} does, without throwing. A failure is logged
	 * and retried in the background.
	 */
	@Override
	void close();

}
