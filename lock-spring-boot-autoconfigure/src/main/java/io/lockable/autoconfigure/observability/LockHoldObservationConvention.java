package io.lockable.autoconfigure.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The convention for the name and the key values of the observation of a held lock. A
 * bean of this type replaces {@link DefaultLockHoldObservationConvention}.
 *
 * @since 0.1.0
 */
public interface LockHoldObservationConvention extends ObservationConvention<LockHoldObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockHoldObservationContext;
	}

}
