package io.lockable.harness.peer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock library, connected to Redis. Many threads use it. The thread that acquired a
 * lock releases it.
 */
public interface Peer extends AutoCloseable {

	/**
	 * Acquires the lock, and waits for it without limit.
	 * @param key the name of the lock
	 * @return the held lock
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	Held lock(String key) throws InterruptedException;

	/**
	 * Acquires the lock, and waits for it for a limited time.
	 * @param key the name of the lock
	 * @param wait the longest wait
	 * @return the held lock, or {@code null} if it was not free in time
	 * @throws InterruptedException if the thread was interrupted while it waited
	 * @throws UnsupportedOperationException if this library is only measured
	 */
	default @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		throw new UnsupportedOperationException(getClass().getSimpleName() + " only waits without limit");
	}

	@Override
	void close();

	/**
	 * A held lock.
	 */
	@FunctionalInterface
	interface Held {

		/**
		 * Returns whether the holder may believe to hold the lock.
		 * @return whether the library reports the lock as held; always if it has no
		 * answer
		 */
		default boolean isHeld() {
			return true;
		}

		/**
		 * Returns the fencing token.
		 * @return the token, or 0 if the library has none
		 */
		default long token() {
			return 0;
		}

		/**
		 * Releases the lock.
		 * @return whether the library reports that the lock was held until now
		 * @throws RuntimeException if the server failed
		 */
		boolean release();

		/**
		 * Releases the lock, which must be held.
		 * @throws IllegalStateException if the library reports that the lock was lost
		 */
		default void unlock() {
			if (!release()) {
				throw new IllegalStateException("The lock was lost before its release");
			}
		}

	}

}
