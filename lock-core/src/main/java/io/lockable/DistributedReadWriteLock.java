package io.lockable;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock that either one writer or any number of readers hold, among all threads of all
 * instances that share a store, each as long as its own lease has not run out.
 *
 * <p>
 * <b>Order.</b> Writers and readers wait in one queue: a reader that comes after a
 * waiting writer waits behind it, and readers that follow each other in the queue get the
 * lock together. So neither keeps the other out for ever. Writers of one instance may
 * pass the lock on among themselves for a moment first, unless it is
 * {@linkplain LockOptions#fair() fair}.
 *
 * <p>
 * <b>Threads.</b> Both locks are reentrant, as every {@link DistributedLock} is. A thread
 * that holds the write lock may take the read lock too, which costs no command; when it
 * then unlocks the write lock, it goes on as a reader without the lock being free in
 * between, and readers waiting next enter with it (<i>downgrade</i>). A thread that holds
 * only the read lock cannot have the write lock: every way to ask for it on the same
 * thread throws {@link LockUpgradeException} at once, because it would wait for itself.
 * The handles of {@link DistributedLock#acquire} belong to no thread and know nothing of
 * this: whoever holds a reader's handle and waits for a writer's waits for itself, and so
 * does who waits for a second reader's handle behind a writer that waits.
 *
 * <p>
 * <b>Leases.</b> Every reader has a lease and an owner token of its own, and one that
 * dies leaves when its lease ends, whatever the other readers do. The fencing token of a
 * writer is larger than that of every reader and writer before it.
 *
 * <p>
 * <b>Other locks of the key.</b> The write lock is {@link DistributedLocks#get the lock}
 * of the key, to threads as well. A share that is held of a
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
	 * Returns the full name of the lock, prefix included.
	 * @return the key, as it stands in the store
	 */
	String key();

	/**
	 * Returns the lock of the readers. {@link DistributedLock#isLocked} says whether the
	 * server knows of readers, or this thread holds the read lock within its write lock.
	 * A writer that has not taken the read lock does not hold it.
	 * @return the read lock
	 */
	@Override
	DistributedLock readLock();

	/**
	 * Returns the lock of the writers. {@link DistributedLock#isLocked} tells whether
	 * anybody holds the key, a writer or readers.
	 * @return the write lock
	 */
	@Override
	DistributedLock writeLock();

}
