package io.lockable.engine;

import java.time.Duration;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;

/**
 * Follows one acquisition to its end: exactly one of {@link #acquired}, {@link #refused},
 * {@link #timedOut}, {@link #cancelled} and {@link #failed}. After the first of these
 * come renewals, and at most one of {@link #released} and {@link #releaseFailed}; and
 * before or shortly after that, {@link #lost} if the lease was. A lease that nobody
 * releases ends with its loss.
 *
 * <p>
 * Each may be called on any thread, among them that of the timer and those of the store's
 * client, but one after the other. When a lock passes on within an instance, the next
 * holder may hear {@code acquired} before the last one hears {@code released}.
 *
 * @since 0.1.0
 */
public interface LockObservation {

	/**
	 * The lock is ours.
	 * @param lease the lease, about to be given to the holder; not to be released here
	 */
	default void acquired(Lease lease) {
	}

	/**
	 * Somebody else holds the lock, and the call does not wait.
	 */
	default void refused() {
	}

	/**
	 * Somebody else held the lock until the wait was over.
	 */
	default void timedOut() {
	}

	/**
	 * The caller did not want the lock any more: it was interrupted, or cancelled its
	 * future. Or it goes on in another way, with an observation of its own: several keys
	 * that were not free together are acquired one by one.
	 */
	default void cancelled() {
	}

	/**
	 * The store failed, or the engine shut down.
	 * @param failure what the caller gets, or the cause of that
	 */
	default void failed(LockException failure) {
	}

	/**
	 * The lease was renewed.
	 * @param lag how much later than planned the renewal was sent
	 */
	default void renewed(Duration lag) {
	}

	/**
	 * A renewal failed, and is tried again until the lease has ended.
	 * @param failure the failure
	 */
	default void renewalFailed(Throwable failure) {
	}

	/**
	 * The lease is lost.
	 * @param event why
	 */
	default void lost(LockLost event) {
	}

	/**
	 * The holder has released the lease.
	 * @param ours {@code false} if the release came too late: the lock was lost before
	 */
	default void released(boolean ours) {
	}

	/**
	 * The holder has released the lease, but the store failed. The release is tried again
	 * in the background.
	 * @param failure the failure
	 */
	default void releaseFailed(Throwable failure) {
	}

}
