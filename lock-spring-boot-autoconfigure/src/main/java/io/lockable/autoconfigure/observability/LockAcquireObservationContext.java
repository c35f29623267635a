package io.lockable.autoconfigure.observability;

import io.lockable.LockAcquired;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of an acquisition.
 *
 * @since 0.1.0
 */
public final class LockAcquireObservationContext extends LockObservationContext {

	private volatile @Nullable LockAcquired acquired;

	LockAcquireObservationContext(String engine, String lockName, String key, String requestId) {
		super(engine, lockName, key, requestId);
	}

	@Override
	public @Nullable LockAcquired getAcquired() {
		return this.acquired;
	}

	void setAcquired(LockAcquired acquired) {
		this.acquired = acquired;
	}

}
