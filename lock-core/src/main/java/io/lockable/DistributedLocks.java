package io.lockable;

import java.util.Collection;

/**
 * The factory of distributed locks by key. This is the bean to inject.
 *
 * <p>
 * A lock is a small object without state on the server until it is used. Obtain one for
 * each call, or keep it. Two locks with the same key from the same factory are the same
 * lock for threads.
 *
 * <p>
 * Implementations are thread-safe. No method of this interface blocks or sends a command.
 *
 * @since 0.1.0
 */
public interface DistributedLocks {

	/**
	 * Returns the lock of the key with the default options. In a Spring Boot application,
	 * {@code application.yml} sets them.
	 * @param key the full name of the lock, including its prefix; not blank
	 * @return the lock
	 * @throws LockKeyException if the key is blank
	 */
	DistributedLock get(String key);

	/**
	 * Returns the lock of the key with the given options.
	 * @param key the full name of the lock, including its prefix; not blank
	 * @param options the lease, the wait time and further options
	 * @return the lock
	 * @throws LockKeyException if the key is blank
	 */
	DistributedLock get(String key, LockOptions options);

	/**
	 * Returns a lock of several keys, which holds the locks of all keys or of none.
	 *
	 * <p>
	 * Keys are sorted, and duplicates are ignored. Calls with the same keys therefore
	 * never deadlock, even with arguments in different order. A call that does not
	 * acquire all locks releases the acquired ones in reverse order. The wait time
	 * applies to the whole call, and a single try is one try for each key.
	 *
	 * <p>
	 * {@link DistributedLock#lock()}, {@code run} and {@code call} hold the lock of each
	 * key for the thread. A lock that the thread already holds is re-entered, and the
	 * thread may later re-enter each lock separately. Such nesting bypasses the order of
	 * the keys: two threads may then deadlock until a wait time is over.
	 *
	 * <p>
	 * A {@link Lease} of several keys is lost when any of its locks is lost. It extends
	 * and releases all of them. It has a {@linkplain Lease#fencingToken(String) fencing
	 * token} for each key.
	 * @param keys the full names of the locks, including their prefix; not empty, none
	 * blank
	 * @param options the leases, the wait time and further options
	 * @return the lock; its key lists all keys, separated by commas
	 * @throws LockKeyException if a key is blank
	 * @throws IllegalArgumentException if there is no key
	 */
	DistributedLock getAll(Collection<String> keys, LockOptions options);

	/**
	 * Returns the read/write lock of the key: many readers or one writer.
	 * @param key the full name of the lock, including its prefix; not blank
	 * @param options the leases, the wait time and further options
	 * @return the two locks
	 * @throws LockKeyException if the key is blank
	 * @throws UnsupportedOperationException if the store does not support shared locks
	 */
	DistributedReadWriteLock getReadWriteLock(String key, LockOptions options);

	/**
	 * Returns the semaphore of the key: at most {@code permits} holders at once.
	 * @param key the full name of the semaphore, including its prefix; not blank
	 * @param permits the maximum number of holders, at least 1; see
	 * {@link DistributedSemaphore} for callers that disagree
	 * @param options the leases, the wait time and further options
	 * @return the semaphore
	 * @throws LockKeyException if the key is blank
	 * @throws IllegalArgumentException if {@code permits} is not positive
	 * @throws UnsupportedOperationException if the store does not support shared locks
	 */
	DistributedSemaphore getSemaphore(String key, int permits, LockOptions options);

}
