package io.lockable.autoconfigure.observability;

import io.lockable.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of an acquisition.
 *
 * @since 0.1.0
 */
public final class LockAcquireObservationContext extends LockObservationContext {

	private volatile LockEvent.@Nullable Acquired acquired;

	LockAcquireObservationContext(String engine, String lockName, String key, String requestId) {
		super(engine, lockName, key, requestId);
	}

	@Override
	public LockEvent.@Nullable Acquired getAcquired() {
		return this.acquired;
	}

	void setAcquired(LockEvent.Acquired acquired) {
		this.acquired = acquired;
	}

}
