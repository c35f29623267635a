package io.lockable.autoconfigure.observability;

import io.lockable.LockAcquired;

/**
 * What the observation of a held lock knows.
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
	 * Returns what is held.
	 * @return the fencing token and more
	 */
	@Override
	public LockAcquired getAcquired() {
		return this.acquired;
	}

}
