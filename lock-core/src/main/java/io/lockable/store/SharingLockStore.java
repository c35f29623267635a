package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A store that can also give a lock to several owners together: readers, or the holders
 * of a semaphore.
 *
 * <p>
 * A key is free, or one owner holds all of it ({@link #acquire}, {@link #enqueue}), or
 * some owners share it. An owner that wants to share says how many may do so with it
 * included, its <i>permits</i>: it enters when all of the lock is nobody's, fewer than
 * that share it, and nobody waits. Each sharer has a lease and fencing tokens of its own,
 * and leaves by itself when its lease ends.
 *
 * <p>
 * Everybody waits in the one queue of the key. What is free is given to its head: all of
 * the lock to an owner that wants it alone, or shares to as many as follow each other and
 * may enter. A head that has to wait keeps those behind it waiting, so nobody is starved;
 * one whose inbox has no listener is removed.
 *
 * <p>
 * {@link #release}, {@link #extend} and {@link #withdraw} do for a sharer what they do
 * for an owner of all. {@link #isLocked} is true of a shared lock, and to
 * {@link #acquire} its remaining lease is that of the sharer who may stay longest.
 *
 * @since 0.1.0
 */
public interface SharingLockStore extends QueueingLockStore {

	/**
	 * Shares the lock, if that is possible at once. An owner that shares it already gets
	 * the same grant again, and its lease lives at least {@code lease} from now on.
	 * @param key the full name of the lock
	 * @param owner the owner token, different for every acquisition
	 * @param lease how long the share lives, in whole milliseconds
	 * @param permits how many owners may share the lock, this one included; positive
	 * @return a {@link Granted} or a {@link Refused}
	 */
	CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits);

	/**
	 * Shares the lock as {@link #acquireShared} does, or else queues the owner, once.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long the share lives once it is granted, in whole milliseconds
	 * @param permits how many owners may share the lock, this one included; positive
	 * @return a {@link Granted}, or a {@link Refused} with the owner queued
	 */
	CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits);

	/**
	 * Gives a share to a successor in the same instance in exchange for all of the lock,
	 * in one step, and further shares to those at the head of the queue.
	 * @param key the full name of the lock
	 * @param owner the owner token that holds all of the lock
	 * @param successor the owner token of the successor
	 * @param lease how long the share lives from now on, in whole milliseconds
	 * @return a {@link Granted} for the successor, also when it has the share already; or
	 * a {@link Refused} if {@code owner} does not hold the lock, and nothing was changed
	 */
	CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease);

	/**
	 * Returns whether anybody shares the lock.
	 * @param key the full name of the lock
	 * @return {@code false} if the lock is free, or one owner holds all of it
	 */
	CompletionStage<Boolean> isShared(String key);

}
