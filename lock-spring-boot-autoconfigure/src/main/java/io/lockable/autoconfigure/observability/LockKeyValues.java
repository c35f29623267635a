package io.lockable.autoconfigure.observability;

import io.lockable.LockAcquired;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.HighCardinalityKeyNames;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/**
 * The key values of the default conventions. Whatever there may be any number of is of
 * high cardinality: it goes into spans, and never into meters.
 */
final class LockKeyValues {

	private LockKeyValues() {
	}

	static KeyValues lowCardinality(LockObservationContext context) {
		return KeyValues.of(LowCardinalityKeyNames.ENGINE.withValue(context.getEngine()),
				LowCardinalityKeyNames.NAME.withValue(context.getLockName()),
				LowCardinalityKeyNames.OUTCOME.withValue(context.getOutcome()));
	}

	static KeyValues highCardinality(LockObservationContext context, @Nullable LockAcquired acquired) {
		KeyValues key = KeyValues.of(HighCardinalityKeyNames.KEY.withValue(context.getKey()));
		return (acquired == null) ? key
				: key.and(HighCardinalityKeyNames.FENCING_TOKEN.withValue(Long.toString(acquired.fencingToken())),
						HighCardinalityKeyNames.REQUEST_ID.withValue(context.getRequestId()));
	}

}
