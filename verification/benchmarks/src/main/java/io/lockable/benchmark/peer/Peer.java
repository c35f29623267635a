package io.lockable.benchmark.peer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock library under comparison, connected to one Redis. Many threads use it. The
 * thread that acquired a lock releases it.
 */
public interface Peer extends AutoCloseable {

	/**
	 * The lease of every peer, so that all renew equally often.
	 */
	Duration LEASE = Duration.ofSeconds(10);

	/**
	 * Acquires the lock, and waits for it without limit.
	 * @param key the name of the lock
	 * @return the held lock
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	Held lock(String key) throws InterruptedException;

	/**
	 * Acquires the lock if it is free. Only the peers of this project support it.
	 * @param key the name of the lock
	 * @param retained whether a peer with retention may retain this lock
	 * @return the held lock, or {@code null} if it is not free
	 */
	default @Nullable Held tryLock(String key, boolean retained) {
		throw new UnsupportedOperationException("Only ours are tried");
	}

	@Override
	void close();

	/**
	 * A held lock.
	 */
	@FunctionalInterface
	interface Held {

		/**
		 * Releases the lock.
		 * @throws RuntimeException if the library reports that the lock was already lost
		 */
		void unlock();

	}

}
