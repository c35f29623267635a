package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.List;

import io.lockable.campaign.history.Share;
import org.jspecify.annotations.Nullable;

/**
 * A lock library under test. Used by many threads; each lock is released by the thread
 * that took it.
 */
public interface Contestant extends AutoCloseable {

	/**
	 * The lease that every contestant gets, short so that leases end within a round.
	 */
	Duration LEASE = Duration.ofSeconds(1);

	/**
	 * How long a waiter may be silent before it counts as dead.
	 */
	Duration WAITER_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * How long a try waits for an instance that may only retain the lock.
	 */
	Duration RECALL_TIMEOUT = Duration.ofMillis(100);

	/**
	 * How long to wait for an answer of a server.
	 */
	Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * Acquires a lock.
	 * @param key the lock, whose kind its name says
	 * @param share the share of it
	 * @param wait how long to wait for other holders
	 * @return the held lock, or {@code null} if others held it until the wait was over
	 * @throws InterruptedException if the thread was interrupted
	 * @throws RuntimeException if the server failed, or the attempt was cancelled
	 */
	@Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException;

	/**
	 * Returns the kinds of locks that this one has.
	 * @return the kinds
	 */
	default List<LockKind> kinds() {
		return List.of(LockKind.EXCLUSIVE);
	}

	/**
	 * Cancels all attempts that can be cancelled.
	 */
	default void cancelPending() {
	}

	/**
	 * Returns how many locks and waiters the library still has an entry for.
	 * @return zero when nothing is held or waited for, or if it cannot be known
	 */
	default int entries() {
		return 0;
	}

	@Override
	void close();

	/**
	 * A lock that was acquired.
	 */
	interface Held {

		/**
		 * Returns whether the holder may believe to hold the lock.
		 * @return whether it is held, as far as the library tells
		 */
		boolean isHeld();

		/**
		 * Returns the fencing token.
		 * @return the token, or 0 if the library has none
		 */
		default long token() {
			return 0;
		}

		/**
		 * Gives the lock back.
		 * @return whether it was still ours, as far as the library tells
		 * @throws RuntimeException if the server failed
		 */
		boolean release();

	}

}
