package io.lockable.autoconfigure.observability;

import io.lockable.Lease;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.HighCardinalityKeyNames;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;

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

	static KeyValues highCardinality(String key) {
		return KeyValues.of(HighCardinalityKeyNames.KEY.withValue(key));
	}

	static KeyValues highCardinality(Lease lease) {
		return KeyValues.of(HighCardinalityKeyNames.KEY.withValue(lease.key()),
				HighCardinalityKeyNames.FENCING_TOKEN.withValue(Long.toString(lease.fencingToken())),
				HighCardinalityKeyNames.REQUEST_ID.withValue(requestId(lease.owner())));
	}

	/**
	 * Returns the part of an owner token that is for eyes. The rest is what proves
	 * ownership to the store, and stays out of everything that is exported.
	 * @param owner the owner token
	 * @return the request id
	 */
	private static String requestId(String owner) {
		return owner.substring(0, Math.max(0, owner.lastIndexOf(':')));
	}

}
