package io.lockable;

/**
 * An event of a lock of this instance, for a {@link LockListener}. Spring Boot publishes
 * it as an application event.
 *
 * <p>
 * Events of one acquisition are ordered. The first one is its outcome:
 * {@link LockAcquired}, {@link LockRefused}, {@link LockCancelled} or {@link LockFailed}.
 * An acquired lease ends with {@link LockReleased}, {@link LockReleaseFailed} or
 * {@link LockLost}. A release may follow the loss. In a local hand-off, the next holder's
 * {@link LockAcquired} may precede the last holder's {@link LockReleased}. A reentrant
 * acquisition has no event.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent permits LockAcquired, LockRefused, LockCancelled, LockFailed, LockRenewed,
		LockRenewalFailed, LockLost, LockReleased, LockReleaseFailed {

	/**
	 * Returns the full name of the lock.
	 * @return the key as stored
	 */
	String key();

	/**
	 * Returns the name in the options of the lock, which is the same for all keys of a
	 * kind.
	 * @return {@link LockOptions#name()}
	 */
	String name();

}
