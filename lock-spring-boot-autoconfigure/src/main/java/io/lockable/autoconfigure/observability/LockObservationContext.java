package io.lockable.autoconfigure.observability;

import io.lockable.LockEvent;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The context of an observation of a lock: of its acquisition, or of the time it is held.
 *
 * @since 0.1.0
 */
public final class LockObservationContext extends Observation.Context {

	private final LockObservationDocumentation observation;

	private final String engine;

	private final String lockName;

	private final String key;

	private final String requestId;

	private volatile String outcome = "unknown";

	private volatile LockEvent.@Nullable Acquired acquired;

	LockObservationContext(LockObservationDocumentation observation, String engine, String lockName, String key,
			String requestId) {
		this.observation = observation;
		this.engine = engine;
		this.lockName = lockName;
		this.key = key;
		this.requestId = requestId;
	}

	/**
	 * Returns what is observed.
	 * @return the acquisition or the held lock
	 */
	public LockObservationDocumentation getObservation() {
		return this.observation;
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
	public LockEvent.@Nullable Acquired getAcquired() {
		return this.acquired;
	}

	void setAcquired(LockEvent.Acquired acquired) {
		this.acquired = acquired;
	}

	/**
	 * Returns the context of the held lock, after its acquisition.
	 * @return a new context
	 */
	LockObservationContext hold() {
		LockObservationContext hold = new LockObservationContext(LockObservationDocumentation.LOCK_HOLD, this.engine,
				this.lockName, this.key, this.requestId);
		hold.acquired = this.acquired;
		return hold;
	}

}
