package io.lockable;

/**
 * What happened to a lock of this instance, for a {@link LockListener}. Spring Boot
 * publishes it as an event of the application.
 *
 * <p>
 * Events of one acquisition are ordered. Its outcome comes first: {@link LockAcquired},
 * {@link LockRefused}, {@link LockCancelled} or {@link LockFailed}. A lease that is
 * acquired ends with {@link LockReleased}, {@link LockReleaseFailed} or {@link LockLost};
 * a release may follow the loss. When a lock passes on within an instance, the next
 * holder's {@link LockAcquired} may precede the last one's {@link LockReleased}. A
 * reentrant acquisition is no event.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent permits LockAcquired, LockRefused, LockCancelled, LockFailed, LockRenewed,
		LockRenewalFailed, LockLost, LockReleased, LockReleaseFailed {

	/**
	 * Returns which lock it is.
	 * @return the full name of the lock
	 */
	String key();

	/**
	 * Returns the name in the options of the lock: one for all keys of a kind.
	 * @return {@link LockOptions#name()}
	 */
	String name();

}
