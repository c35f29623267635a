package io.lockable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A handle on an acquired lock: it tells how long the lock is still ours, and gives it
 * back.
 *
 * <p>
 * A lease belongs to no thread: any thread may use and close it. It is valid by a
 * <b>local deadline</b>, the moment at which the command that set the lease was sent plus
 * the lease, on this machine's monotonic clock, less an allowance for the drift of
 * clocks. So it never believes itself valid for longer than the server does.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface Lease extends AutoCloseable {

	/**
	 * Returns the full name of the lock. That of a lease of
	 * {@linkplain DistributedLocks#getAll several keys} is for display: their names with
	 * commas between them. {@link #keys()} has each.
	 * @return the key, as it stands in the store
	 */
	String key();

	/**
	 * Returns the full names of all locks that this lease holds.
	 * @return the keys, as they stand in the store, in the order of their acquisition;
	 * unmodifiable, one element for one lock
	 */
	default List<String> keys() {
		return List.of(key());
	}

	/**
	 * Returns the owner token: the value that stands in the store while this lease holds
	 * the lock. No other acquisition ever has the same.
	 * @return the owner token
	 */
	String owner();

	/**
	 * Returns the fencing token: a number that only grows from one acquisition of this
	 * key to the next. Hand it to the protected resource and let that refuse a smaller
	 * one than it has seen. The token of a lease of {@linkplain DistributedLocks#getAll
	 * several keys} is the largest of theirs, and grows from one acquisition of the same
	 * keys to the next. Acquisitions that have only some keys in common compare by
	 * {@link #fencingToken(String)}.
	 * @return the fencing token, positive
	 */
	long fencingToken();

	/**
	 * Returns the fencing token of one of the keys that this lease holds. A lease of
	 * {@linkplain DistributedLocks#getAll several keys} has one for each, which grows
	 * from one acquisition of that key to the next, also one of that key alone or with
	 * other keys.
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
	 * Returns whether the lock is ours, by the local deadline. No network.
	 * @return {@code false} after a release, after a loss, and from the local deadline on
	 */
	boolean isHeld();

	/**
	 * Returns how long the lock is still ours without renewal, by the local monotonic
	 * clock. Never optimistic. No network.
	 * @return the time to the local deadline, zero when the lease is no longer held
	 */
	Duration remaining();

	/**
	 * Lets the lock live at least the given time from now on. Never shortens the lease.
	 * Blocks for the server's answer.
	 * @param lease how long from now, from one millisecond to
	 * {@link LockOptions#MAX_LEASE}
	 * @return {@code false} if the lock is no longer ours; the lease is then lost
	 * @throws IllegalArgumentException if {@code lease} is shorter or longer
	 * @throws LockStoreException if the store failed; the lease then ends when it would
	 * have ended, or later
	 */
	boolean extend(Duration lease);

	/**
	 * Returns a stage that completes when the lease is known to be lost, or must be taken
	 * as lost because its local deadline has passed. It never completes after a release,
	 * and never exceptionally.
	 *
	 * <p>
	 * Dependent actions run on a thread of the engine and must not block: use the
	 * {@code …Async} methods with an executor of your own for anything longer.
	 * @return the stage of the loss
	 */
	CompletionStage<LockLost> lost();

	/**
	 * Gives the lock back. Blocks for the server's answer unless the options say
	 * {@link ReleaseMode#PIPELINED}. Releasing again returns what the first release
	 * returned.
	 * @return {@code false} if the lock was no longer ours; nothing of the new holder is
	 * touched
	 * @throws LockStoreException if the store failed; the lease is over for this side,
	 * and the release is tried again in the background until the lease has ended on the
	 * server too
	 */
	boolean release();

	/**
	 * Gives the lock back as {@link #release} does, but never blocks the caller.
	 *
	 * <p>
	 * Dependent actions run on a thread of the engine or of the store's client and must
	 * not block: use the {@code …Async} methods with an executor of your own for anything
	 * longer.
	 * @return a stage that completes with what {@link #release} returns, when the server
	 * has answered; or exceptionally with {@link LockStoreException}
	 */
	CompletionStage<Boolean> releaseAsync();

	/**
	 * Gives the lock back later: this lease is over at once, as after {@link #release},
	 * but the store {@linkplain io.lockable.store.LockStore#keep keeps} the lock for the
	 * given time from now on, also when this instance stops meanwhile. This takes the
	 * place of {@link LockOptions#minHold()}, and has no effect on a lease that is
	 * released already. Blocks as {@link #release} does.
	 * @param rest how long the lock stays locked, from zero to
	 * {@link LockOptions#MAX_LEASE}
	 * @return {@code false} if the lock was no longer ours; nothing of the new holder is
	 * touched
	 * @throws IllegalArgumentException if {@code rest} is out of its range
	 * @throws LockStoreException as {@link #release}
	 */
	boolean releaseAfter(Duration rest);

	/**
	 * Gives the lock back as {@link #release} does, but quietly: a failure is logged and
	 * tried again in the background, never thrown.
	 */
	@Override
	void close();

}
