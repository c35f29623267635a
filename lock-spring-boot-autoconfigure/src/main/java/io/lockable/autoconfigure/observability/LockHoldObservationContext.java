package io.lockable.autoconfigure.observability;

import io.lockable.LockAcquired;

/**
 * The context of the observation of a held lock.
 *
 * @since 0.1.0
 */
public final class LockHoldObservationContext extends LockObservationContext {

	private final LockAcquired acquired;

	LockHoldObservationContext(LockAcquireObservationContext acquisition, LockAcquired acquired) {
		super(acquisition.getEngine(), acquisition.getLockName(), acquisition.getKey(), acquisition.getRequestId());
		this.acquired = acquired;
	}

	/**
	 * Returns the event of the acquisition.
	 * @return the event, with the fencing token
	 */
	@Override
	public LockAcquired getAcquired() {
		return this.acquired;
	}

}
