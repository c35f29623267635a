package io.lockable;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock that one writer or any number of readers hold, among all threads of all
 * instances that share a store. Each holder has the lock as long as its own lease lasts.
 *
 * <p>
 * <b>Order.</b> Writers and readers wait in one queue. A reader that arrives after a
 * waiting writer waits behind it. Readers that follow each other in the queue acquire the
 * lock together. Neither kind starves the other. Unless the lock is
 * {@linkplain LockOptions#fair() fair}, writers of one instance may first hand the lock
 * to each other for a moment.
 *
 * <p>
 * <b>Threads.</b> Both locks are reentrant, as every {@link DistributedLock} is. A thread
 * that holds the write lock may also acquire the read lock, without a command. When the
 * thread then releases the write lock, it becomes a reader without freeing the lock in
 * between (<i>downgrade</i>). Readers that wait next enter with it. A thread that holds
 * only the read lock cannot acquire the write lock, because it would wait for itself.
 * Each attempt on that thread throws {@link LockUpgradeException} immediately. The
 * handles of {@link DistributedLock#acquire} belong to no thread and are not checked. A
 * caller that holds a read handle and waits for a write handle waits for itself. So does
 * a caller that holds a read handle and waits for a second one behind a waiting writer.
 *
 * <p>
 * <b>Leases.</b> Each reader has its own lease and owner token. The share of a crashed
 * reader expires independently of other readers. The fencing token of a writer is larger
 * than that of each earlier reader and writer.
 *
 * <p>
 * <b>Other locks of the key.</b> The write lock is {@link DistributedLocks#get the lock}
 * of the key, also for threads. A held permit of a
 * {@linkplain DistributedLocks#getSemaphore semaphore} of the same key counts as a
 * reader.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

	/**
	 * Returns the full name of the lock, including its prefix.
	 * @return the key as stored
	 */
	String key();

	/**
	 * Returns the lock of the readers. Its {@link DistributedLock#isLocked} returns
	 * whether the server has readers, or this thread holds the read lock within its write
	 * lock. A writer that has not acquired the read lock does not hold it.
	 * @return the read lock
	 */
	@Override
	DistributedLock readLock();

	/**
	 * Returns the lock of the writers. Its {@link DistributedLock#isLocked} returns
	 * whether a writer or readers hold the key.
	 * @return the write lock
	 */
	@Override
	DistributedLock writeLock();

}
