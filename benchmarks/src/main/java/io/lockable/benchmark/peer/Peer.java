package io.lockable.benchmark.peer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

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

	/**
	 * Takes the lock if it is free. Only ours are asked.
	 * @param key the name of the lock
	 * @param retained whether a peer that retains locks may retain this one
	 * @return the held lock; {@code null} if it is not free
	 */
	default @Nullable Held tryLock(String key, boolean retained) {
		throw new UnsupportedOperationException("Only ours are tried");
	}

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
