package io.lockable.autoconfigure.observability;

import io.lockable.LockEvent;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.KeyNames;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/**
 * The convention for the names and key values of one observation. A subclass that is
 * registered as a convention replaces the default for its observation; Spring Boot
 * registers beans. The name of a span is {@code acquire} or {@code hold}, followed by the
 * name of the lock.
 *
 * @since 0.1.0
 */
public class LockObservationConvention implements GlobalObservationConvention<LockObservationContext> {

	private final LockObservationDocumentation observation;

	/**
	 * Creates a convention.
	 * @param observation the observation that it applies to
	 */
	public LockObservationConvention(LockObservationDocumentation observation) {
		this.observation = observation;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext ours && ours.getObservation() == this.observation;
	}

	@Override
	public String getName() {
		return "lock." + this.observation.act();
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		return this.observation.act() + " " + context.getLock().name();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of(KeyNames.ENGINE.withValue(context.getLock().engine()),
				KeyNames.NAME.withValue(context.getLock().name()), KeyNames.OUTCOME.withValue(context.getOutcome()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		KeyValues values = KeyValues.of(KeyNames.KEY.withValue(context.getLock().key()));
		LockEvent.Acquired acquired = context.getAcquired();
		return (acquired == null) ? values
				: values.and(KeyNames.FENCING_TOKEN.withValue(Long.toString(acquired.fencingToken())),
						KeyNames.REQUEST_ID.withValue(context.getLock().requestId()));
	}

}
