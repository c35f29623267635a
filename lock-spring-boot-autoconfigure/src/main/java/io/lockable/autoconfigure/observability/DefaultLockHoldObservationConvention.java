package io.lockable.autoconfigure.observability;

import io.micrometer.common.KeyValues;

/**
 * The default convention for the observation of a held lock. Its name is
 * {@code lock.hold}. The name of its span is {@code hold}, followed by the name of the
 * lock.
 *
 * @since 0.1.0
 */
public class DefaultLockHoldObservationConvention implements LockHoldObservationConvention {

	@Override
	public String getName() {
		return "lock.hold";
	}

	@Override
	public String getContextualName(LockHoldObservationContext context) {
		return "hold " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockHoldObservationContext context) {
		return context.lowCardinality();
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockHoldObservationContext context) {
		return context.highCardinality();
	}

}
