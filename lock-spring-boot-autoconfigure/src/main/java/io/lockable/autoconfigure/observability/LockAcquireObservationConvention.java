package io.lockable.autoconfigure.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of an acquisition, and says what it carries. A bean of this type
 * takes the place of {@link DefaultLockAcquireObservationConvention}.
 *
 * @since 0.1.0
 */
public interface LockAcquireObservationConvention extends ObservationConvention<LockAcquireObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockAcquireObservationContext;
	}

}
