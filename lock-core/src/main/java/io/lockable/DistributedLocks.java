package io.lockable;

import java.util.Collection;

/**
 * Gives distributed locks by key. This is the bean to inject.
 *
 * <p>
 * A lock is a small object without a server behind it until it is used: get one per call,
 * or keep it, as you like. Two locks with the same key from the same instance of this
 * interface are the same lock to the threads that use them.
 *
 * <p>
 * Implementations are thread-safe. No method of this interface blocks or talks to the
 * server.
 *
 * @since 0.1.0
 */
public interface DistributedLocks {

	/**
	 * Returns the lock of that key with the default options, those of
	 * {@code application.yml} in a Spring Boot application.
	 * @param key the full name of the lock, prefix included; not blank
	 * @return the lock
	 * @throws LockKeyException if the key is blank
	 */
	DistributedLock get(String key);

	/**
	 * Returns the lock of that key with options of its own.
	 * @param key the full name of the lock, prefix included; not blank
	 * @param options how long the lease lives, how long to wait, and the like
	 * @return the lock
	 * @throws LockKeyException if the key is blank
	 */
	DistributedLock get(String key, LockOptions options);

	/**
	 * Returns a lock that is held while the locks of several keys are: all of them or
	 * none.
	 *
	 * <p>
	 * The keys are sorted, and each counts once; so calls with the same keys never wait
	 * for each other in a circle, whatever the order of their arguments. A call that does
	 * not get all gives back what it has, in reverse order. The wait of the options is
	 * that of the whole call, and a single try is one for each key.
	 *
	 * <p>
	 * For a thread, {@link DistributedLock#lock()}, {@code run} and {@code call} hold the
	 * lock of each key: one that the thread holds already is entered again, and
	 * afterwards it may enter each of them again by itself. Nested that way, keys are no
	 * longer acquired in their order: two threads can then wait for each other until a
	 * wait is over.
	 *
	 * <p>
	 * A {@link Lease} of several keys is lost when any of them is; extending and
	 * releasing are for all. Its {@linkplain Lease#fencingToken(String) fencing tokens}
	 * are those of the keys.
	 * @param keys the full names of the locks, prefix included; not empty, none blank
	 * @param options how long the leases live, how long to wait, and the like
	 * @return the lock; its key lists those of all, with a comma between them
	 * @throws LockKeyException if a key is blank
	 * @throws IllegalArgumentException if there is no key
	 */
	DistributedLock getAll(Collection<String> keys, LockOptions options);

	/**
	 * Returns the read/write lock of that key: many readers or one writer.
	 * @param key the full name of the lock, prefix included; not blank
	 * @param options how long the leases live, how long to wait, and the like
	 * @return the two locks
	 * @throws LockKeyException if the key is blank
	 * @throws UnsupportedOperationException if the store cannot share a lock
	 */
	DistributedReadWriteLock getReadWriteLock(String key, LockOptions options);

	/**
	 * Returns the semaphore of that key: at most {@code permits} holders at once.
	 * @param key the full name of the semaphore, prefix included; not blank
	 * @param permits how many may hold it at once, at least 1; see
	 * {@link DistributedSemaphore} for callers that disagree
	 * @param options how long the leases live, how long to wait, and the like
	 * @return the semaphore
	 * @throws LockKeyException if the key is blank
	 * @throws IllegalArgumentException if {@code permits} is not positive
	 * @throws UnsupportedOperationException if the store cannot share a lock
	 */
	DistributedSemaphore getSemaphore(String key, int permits, LockOptions options);

}
