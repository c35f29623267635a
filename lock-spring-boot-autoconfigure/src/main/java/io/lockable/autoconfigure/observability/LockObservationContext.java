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

	private final Lock lock;

	private volatile String outcome = "unknown";

	private volatile LockEvent.@Nullable Acquired acquired;

	LockObservationContext(LockObservationDocumentation observation, Lock lock) {
		this.observation = observation;
		this.lock = lock;
	}

	/**
	 * Returns what is observed.
	 * @return the acquisition or the held lock
	 */
	public LockObservationDocumentation getObservation() {
		return this.observation;
	}

	/**
	 * Returns the observed lock.
	 * @return the lock
	 */
	public Lock getLock() {
		return this.lock;
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
		LockObservationContext hold = new LockObservationContext(LockObservationDocumentation.LOCK_HOLD, this.lock);
		hold.acquired = this.acquired;
		return hold;
	}

	/**
	 * An observed lock. The key and the request id have high cardinality and do not suit
	 * meters.
	 *
	 * @param engine the name of the engine, unique in the registry
	 * @param name the name of the lock, which all keys of a kind share; {@code other} if
	 * the application has too many names
	 * @param key the full name of the lock
	 * @param requestId the request id at the start of the owner token
	 */
	public record Lock(String engine, String name, String key, String requestId) {

	}

}
