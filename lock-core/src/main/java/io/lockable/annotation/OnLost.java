package io.lockable.annotation;

import io.lockable.LockListener;
import io.lockable.LockLostException;

/**
 * The reaction to a loss of the lock while an annotated method runs. The loss means that
 * the lease ended before its renewal, or the server granted the lock to another owner. In
 * each case, the loss is logged and each {@link LockListener} is notified.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * No further reaction: the method continues, and its outcome stands.
	 */
	WARN,

	/**
	 * The thread of the method is interrupted when the loss is detected. The method
	 * decides how to react, and its outcome stands.
	 */
	INTERRUPT,

	/**
	 * The method continues, but a call that would succeed throws
	 * {@link LockLostException}. If the call started a transaction, the exception is
	 * thrown before the commit and rolls it back. An exception of the method itself
	 * stands.
	 */
	FAIL

}
