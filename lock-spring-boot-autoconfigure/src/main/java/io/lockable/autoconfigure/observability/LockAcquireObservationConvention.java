package io.lockable.autoconfigure.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The convention for the name and the key values of the observation of an acquisition. A
 * bean of this type replaces {@link DefaultLockAcquireObservationConvention}.
 *
 * @since 0.1.0
 */
public interface LockAcquireObservationConvention extends ObservationConvention<LockAcquireObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockAcquireObservationContext;
	}

}
