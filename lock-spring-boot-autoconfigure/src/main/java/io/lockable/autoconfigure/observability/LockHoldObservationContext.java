package io.lockable.autoconfigure.observability;

import io.lockable.LockEvent;

/**
 * The context of the observation of a held lock.
 *
 * @since 0.1.0
 */
public final class LockHoldObservationContext extends LockObservationContext {

	private final LockEvent.Acquired acquired;

	LockHoldObservationContext(LockAcquireObservationContext acquisition, LockEvent.Acquired acquired) {
		super(acquisition.getEngine(), acquisition.getLockName(), acquisition.getKey(), acquisition.getRequestId());
		this.acquired = acquired;
	}

	/**
	 * Returns the event of the acquisition.
	 * @return the event, with the fencing token
	 */
	@Override
	public LockEvent.Acquired getAcquired() {
		return this.acquired;
	}

}
