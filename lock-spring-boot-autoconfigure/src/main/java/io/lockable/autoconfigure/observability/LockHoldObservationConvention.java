package io.lockable.autoconfigure.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of a held lock, and says what it carries. A bean of this type
 * takes the place of {@link DefaultLockHoldObservationConvention}.
 *
 * @since 0.1.0
 */
public interface LockHoldObservationConvention extends ObservationConvention<LockHoldObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockHoldObservationContext;
	}

}
