package io.lockable.benchmark.peer;

import java.time.Duration;

/**
 * A lock library under comparison, connected to one Redis. Used by many threads; each
 * lock is released by the thread that took it.
 */
public interface Peer extends AutoCloseable {

	/**
	 * The lease that every peer gets, so that renewal happens equally often.
	 */
	Duration LEASE = Duration.ofSeconds(10);

	/**
	 * Takes the lock, waiting for it without limit.
	 * @param key the name of the lock
	 * @return the held lock
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	Held lock(String key) throws InterruptedException;

	@Override
	void close();

	/**
	 * A lock that is held.
	 */
	@FunctionalInterface
	interface Held {

		/**
		 * Gives the lock back.
		 * @throws RuntimeException if the lock was no longer ours, as far as the library
		 * tells
		 */
		void unlock();

	}

}
