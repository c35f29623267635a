package io.lockable.autoconfigure.observability;

import io.lockable.Lease;

/**
 * What the observation of a held lock knows.
 *
 * @since 0.1.0
 */
public final class LockHoldObservationContext extends LockObservationContext {

	private final Lease lease;

	LockHoldObservationContext(String engine, String lockName, Lease lease) {
		super(engine, lockName, lease.key());
		this.lease = lease;
	}

	/**
	 * Returns what is held.
	 * @return the lease; not to be released
	 */
	public Lease getLease() {
		return this.lease;
	}

}
