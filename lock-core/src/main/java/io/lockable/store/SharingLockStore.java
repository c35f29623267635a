package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;

/**
 * A store that also grants a lock to several owners together: readers, or the holders of
 * a semaphore.
 *
 * <p>
 * A key is free, held exclusively by one owner ({@link #acquire}, {@link #enqueue}), or
 * shared by several owners. A sharing owner sets the maximum number of sharers, itself
 * included, as its <i>permits</i>. It enters if no owner holds the lock exclusively,
 * fewer owners share it, and no waiter is queued. Each sharer has its own lease and
 * fencing tokens, and leaves when its lease expires.
 *
 * <p>
 * All waiters of a key share one queue, whose head is served first. An exclusive waiter
 * at the head is granted the whole lock. Sharing waiters at the head are granted their
 * shares together, as far as their permits allow. A head that must wait blocks the
 * waiters behind it, so that no waiter starves. A waiter whose inbox has no listener is
 * removed.
 *
 * <p>
 * {@link #release}, {@link #extend} and {@link #withdraw} also work for a sharer.
 * {@link #isLocked} is {@code true} for a shared lock. To {@link #acquire}, the remaining
 * lease of a shared lock is the longest one of its sharers.
 *
 * @since 0.1.0
 */
public interface SharingLockStore extends QueueingLockStore {

	/**
	 * Acquires a share, if one is available immediately. An owner that already has a
	 * share receives the same grant, and its lease is extended to at least {@code lease}
	 * from now.
	 * @param key the full name of the lock
	 * @param owner the owner token, unique to the acquisition
	 * @param lease the lease of the share, in whole milliseconds
	 * @param permits the maximum number of sharers, this one included; positive
	 * @return a {@link Granted} or a {@link Refused}
	 */
	CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits);

	/**
	 * Acquires a share as {@link #acquireShared} does. If a recallable holder of a
	 * {@link RecallingLockStore} has the lock exclusively, queues the owner as
	 * {@link #enqueueShared} does and recalls the lock. Otherwise the owner is not
	 * queued. Called only after {@link #subscribe} has completed. The default never
	 * recalls the lock.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease of the share, in whole milliseconds
	 * @param permits the maximum number of sharers, this one included; positive
	 * @return a {@link Granted} or a {@link Refused}
	 */
	default CompletionStage<Acquisition> acquireSharedOrRecall(String key, String owner, Duration lease, int permits) {
		return acquireShared(key, owner, lease, permits);
	}

	/**
	 * Acquires a share as {@link #acquireShared} does, or queues the owner once.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease of the share from its grant on, in whole milliseconds
	 * @param permits the maximum number of sharers, this one included; positive
	 * @return a {@link Granted}, or a {@link Refused} with the owner queued
	 */
	CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits);

	/**
	 * Exchanges the exclusive lock for a share of a successor in the same instance, in
	 * one step. The same step grants shares to the waiters at the head of the queue.
	 * @param key the full name of the lock
	 * @param owner the owner token that holds the lock exclusively
	 * @param successor the owner token of the successor
	 * @param lease the lease of the share from now on, in whole milliseconds
	 * @return a {@link Granted} for the successor, also if it already has the share; or a
	 * {@link Refused} without changes if {@code owner} does not hold the lock
	 */
	CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease);

	/**
	 * Returns whether the lock is shared.
	 * @param key the full name of the lock
	 * @return {@code false} if the lock is free or held exclusively
	 */
	CompletionStage<Boolean> isShared(String key);

}
