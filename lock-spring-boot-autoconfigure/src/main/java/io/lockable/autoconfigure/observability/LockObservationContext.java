package io.lockable.autoconfigure.observability;

import io.lockable.LockAcquired;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.HighCardinalityKeyNames;
import io.lockable.autoconfigure.observability.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What the observations of a lock know.
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
	 * Returns what tells the engine from others.
	 * @return the name of the engine
	 */
	public String getEngine() {
		return this.engine;
	}

	/**
	 * Returns the name of the lock: one for all keys of a kind, and few.
	 * @return the name, or {@code other} if the application has too many
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Returns the full name of the lock. There may be any number: not for meters.
	 * @return the key
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * Returns the request id that the owner token starts with. There may be any number:
	 * not for meters.
	 * @return the request id
	 */
	public String getRequestId() {
		return this.requestId;
	}

	/**
	 * Returns what became of it.
	 * @return the outcome, {@code unknown} before it is over
	 */
	public String getOutcome() {
		return this.outcome;
	}

	void setOutcome(String outcome) {
		this.outcome = outcome;
	}

	/**
	 * Returns what was acquired.
	 * @return the fencing token and more, or {@code null} if nothing is acquired, or not
	 * yet
	 */
	public abstract @Nullable LockAcquired getAcquired();

	/**
	 * Returns the key values for meters and spans.
	 * @return those of which there are few
	 */
	KeyValues lowCardinality() {
		return KeyValues.of(LowCardinalityKeyNames.ENGINE.withValue(this.engine),
				LowCardinalityKeyNames.NAME.withValue(this.lockName),
				LowCardinalityKeyNames.OUTCOME.withValue(this.outcome));
	}

	/**
	 * Returns the key values for spans, and never for meters.
	 * @return those of which there may be any number
	 */
	KeyValues highCardinality() {
		KeyValues values = KeyValues.of(HighCardinalityKeyNames.KEY.withValue(this.key));
		LockAcquired acquired = getAcquired();
		return (acquired == null) ? values
				: values.and(HighCardinalityKeyNames.FENCING_TOKEN.withValue(Long.toString(acquired.fencingToken())),
						HighCardinalityKeyNames.REQUEST_ID.withValue(this.requestId));
	}

}
