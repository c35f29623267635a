package io.lockable.autoconfigure.observability;

import io.lockable.LockEvent;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.HighCardinalityKeyNames;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The common context of lock observations.
 *
 * @since 0.1.0
 */
public abstract class LockObservationContext extends Observation.Context {

	private final String engine;

	private final String lockName;

	private final String key;

	private final String requestId;

	private volatile String outcome = "unknown";

	LockObservationContext(String engine, String lockName, String key, String requestId) {
		this.engine = engine;
		this.lockName = lockName;
		this.key = key;
		this.requestId = requestId;
	}

	/**
	 * Returns the name of the engine, unique in the registry.
	 * @return the name of the engine
	 */
	public String getEngine() {
		return this.engine;
	}

	/**
	 * Returns the name of the lock, which all keys of a kind share. It has low
	 * cardinality.
	 * @return the name, or {@code other} if the application has too many names
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Returns the full name of the lock. It has high cardinality and does not suit
	 * meters.
	 * @return the key
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * Returns the request id at the start of the owner token. It has high cardinality and
	 * does not suit meters.
	 * @return the request id
	 */
	public String getRequestId() {
		return this.requestId;
	}

	/**
	 * Returns the outcome.
	 * @return the outcome; {@code unknown} until the observation ends
	 */
	public String getOutcome() {
		return this.outcome;
	}

	void setOutcome(String outcome) {
		this.outcome = outcome;
	}

	/**
	 * Returns the event of the acquisition.
	 * @return the event, with the fencing token; {@code null} if the lock is not
	 * acquired, or not yet
	 */
	public abstract LockEvent.@Nullable Acquired getAcquired();

	/**
	 * Returns the key values for meters and spans.
	 * @return the key values of low cardinality
	 */
	KeyValues lowCardinality() {
		return KeyValues.of(LowCardinalityKeyNames.ENGINE.withValue(this.engine),
				LowCardinalityKeyNames.NAME.withValue(this.lockName),
				LowCardinalityKeyNames.OUTCOME.withValue(this.outcome));
	}

	/**
	 * Returns the key values for spans only.
	 * @return the key values of high cardinality
	 */
	KeyValues highCardinality() {
		KeyValues values = KeyValues.of(HighCardinalityKeyNames.KEY.withValue(this.key));
		LockEvent.Acquired acquired = getAcquired();
		return (acquired == null) ? values
				: values.and(HighCardinalityKeyNames.FENCING_TOKEN.withValue(Long.toString(acquired.fencingToken())),
						HighCardinalityKeyNames.REQUEST_ID.withValue(this.requestId));
	}

}
