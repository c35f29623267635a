package io.lockable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that a limited number of holders have at once, among all threads of all
 * instances that share a store. Each holder has its permit as long as its own lease
 * lasts.
 *
 * <p>
 * Each holder has its own lease, owner token and fencing token. Leases are renewed as
 * those of a lock are. The permit of a crashed holder is free when its lease expires.
 * Waiters are served in order of arrival. A semaphore is never reentrant: a thread that
 * acquires twice holds two permits.
 *
 * <p>
 * <b>The number of permits</b> is not stored. An acquisition succeeds if fewer holders
 * have the key than its own {@linkplain #permits() number}. If callers disagree, callers
 * with the smaller number wait until fewer holders than that number remain. Later callers
 * wait behind them.
 *
 * <p>
 * <b>Other locks of the key.</b> {@linkplain DistributedLocks#get The lock} of the same
 * key excludes all holders of the semaphore. Readers of its
 * {@linkplain DistributedReadWriteLock read/write lock} count as holders.
 *
 * <p>
 * <b>Not guaranteed:</b> after a pause longer than the lease, one holder too many may
 * run, as with a {@link DistributedLock}. {@link Lease#lost()} reports the loss.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface DistributedSemaphore {

	/**
	 * Returns the full name of the semaphore, including its prefix.
	 * @return the key as stored
	 */
	String key();

	/**
	 * Returns the maximum number of holders, as this caller set it.
	 * @return the number of permits, at least 1
	 */
	int permits();

	/**
	 * Acquires one permit, waiting at most {@link LockOptions#waitTime()}.
	 * @return the held lease
	 * @throws LockNotAcquiredException if no permit was free until the wait time was over
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or during the
	 * wait; no permit is held
	 */
	Lease acquire() throws InterruptedException;

	/**
	 * Tries once to acquire a permit, without waiting for a holder. Blocks until the
	 * server answers, and ignores interrupts.
	 * @return the held lease, or empty if no permit is free or other owners already wait
	 * @throws LockStoreException if the store failed
	 */
	Optional<Lease> tryAcquire();

	/**
	 * Tries to acquire a permit, waiting at most the given time.
	 * @param wait the maximum wait; zero means exactly one try
	 * @return the held lease, or empty if no permit was free until the wait was over
	 * @throws IllegalArgumentException if {@code wait} is negative
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or during the
	 * wait; no permit is held
	 */
	Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

	/**
	 * Acquires a permit without blocking the caller, waiting at most
	 * {@link LockOptions#waitTime()}. The future behaves as that of
	 * {@link DistributedLock#acquireAsync}.
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquireAsync();

}
