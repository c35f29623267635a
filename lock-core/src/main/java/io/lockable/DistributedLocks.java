package io.lockable;

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

}
