package io.lockable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that at most a number of holders have at once, among all threads of all
 * instances that share a store, each as long as its own lease has not run out.
 *
 * <p>
 * Every holder has a lease, an owner token and a fencing token of its own. Leases are
 * renewed as those of a lock are; a holder that dies frees its permit when its lease
 * ends. Whoever waits is served by arrival. A semaphore is never reentrant: a thread that
 * acquires twice holds two permits.
 *
 * <p>
 * <b>The number of permits</b> is not stored. Each acquisition counts who holds the key
 * when it is served, and goes ahead if they are fewer than its own {@linkplain #permits()
 * number}. While callers disagree, those with the smaller number wait until fewer than
 * that hold the key, and whoever came after them waits behind them.
 *
 * <p>
 * <b>Other locks of the key.</b> {@linkplain DistributedLocks#get The lock} of the same
 * key excludes all holders of the semaphore, and readers of its
 * {@linkplain DistributedReadWriteLock read/write lock} count as holders.
 *
 * <p>
 * As with a {@link DistributedLock}, no semaphore in an asynchronous network rules out
 * one holder too many after a pause longer than the lease; {@link Lease#lost()} tells.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface DistributedSemaphore {

	/**
	 * Returns the full name of the semaphore, prefix included.
	 * @return the key, as it stands in the store
	 */
	String key();

	/**
	 * Returns how many may hold the key at once, by this caller's word.
	 * @return the number of permits, at least 1
	 */
	int permits();

	/**
	 * Acquires one permit, waiting at most {@link LockOptions#waitTime()}.
	 * @return the lease, held
	 * @throws LockNotAcquiredException if no permit was free until the wait was over
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or while it
	 * waited; no permit is then held
	 */
	Lease acquire() throws InterruptedException;

	/**
	 * Tries once to acquire a permit, without waiting for a holder. It does wait for the
	 * server's answer, and does not react to interruption.
	 * @return the lease, held; or empty if no permit is free or others wait already
	 * @throws LockStoreException if the store failed
	 */
	Optional<Lease> tryAcquire();

	/**
	 * Tries to acquire a permit, waiting at most the given time.
	 * @param wait how long to wait; zero means exactly one try
	 * @return the lease, held; or empty if no permit was free until the wait was over
	 * @throws IllegalArgumentException if {@code wait} is negative
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or while it
	 * waited; no permit is then held
	 */
	Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

	/**
	 * Acquires a permit without ever blocking the caller, waiting at most
	 * {@link LockOptions#waitTime()}. Everything said of
	 * {@link DistributedLock#acquireAsync} holds here too.
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquireAsync();

}
