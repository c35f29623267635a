package io.lockable.autoconfigure.observability;

import io.lockable.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What the observation of an acquisition knows.
 *
 * @since 0.1.0
 */
public final class LockAcquireObservationContext extends LockObservationContext {

	private volatile @Nullable Lease lease;

	LockAcquireObservationContext(String engine, String lockName, String key) {
		super(engine, lockName, key);
	}

	/**
	 * Returns what was acquired.
	 * @return the lease, or {@code null} if there is none, or none yet; not to be
	 * released
	 */
	public @Nullable Lease getLease() {
		return this.lease;
	}

	void setLease(Lease lease) {
		this.lease = lease;
	}

}
