package io.lockable.campaign.contestant;

import java.time.Duration;

import io.lockable.campaign.history.Share;
import io.lockable.harness.peer.Peer.Held;
import org.jspecify.annotations.Nullable;

/**
 * A lock library under test. Many threads use it. The thread that acquired a lock
 * releases it.
 */
public interface Contestant extends AutoCloseable {

	/**
	 * The lease of every contestant, short enough to expire within a round.
	 */
	Duration LEASE = Duration.ofSeconds(1);

	/**
	 * The time after which a silent waiter counts as dead.
	 */
	Duration WAITER_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * The time that a try waits for an instance that may only retain the lock.
	 */
	Duration RECALL_TIMEOUT = Duration.ofMillis(100);

	/**
	 * The time limit for an answer of a server.
	 */
	Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * Acquires a lock.
	 * @param key the lock, whose name contains its kind
	 * @param share the share of it
	 * @param wait the longest wait for other holders
	 * @return the held lock, or {@code null} if others held it until the end of the wait
	 * @throws InterruptedException if the thread was interrupted
	 * @throws RuntimeException if the server failed, or the attempt was cancelled
	 */
	@Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException;

	/**
	 * Cancels all cancellable attempts.
	 */
	default void cancelPending() {
	}

	/**
	 * Returns the number of locks and waiters for which the library has an entry.
	 * @return the number; zero if it is idle, or if the number is unknown
	 */
	default int entries() {
		return 0;
	}

	@Override
	void close();

}
