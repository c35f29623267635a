package io.lockable.autoconfigure.observability;

import io.micrometer.common.KeyValues;

/**
 * The default convention for the observation of an acquisition. Its name is
 * {@code lock.acquire}. The name of its span is {@code acquire}, followed by the name of
 * the lock.
 *
 * @since 0.1.0
 */
public class DefaultLockAcquireObservationConvention implements LockAcquireObservationConvention {

	@Override
	public String getName() {
		return "lock.acquire";
	}

	@Override
	public String getContextualName(LockAcquireObservationContext context) {
		return "acquire " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockAcquireObservationContext context) {
		return context.lowCardinality();
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockAcquireObservationContext context) {
		return context.highCardinality();
	}

}
