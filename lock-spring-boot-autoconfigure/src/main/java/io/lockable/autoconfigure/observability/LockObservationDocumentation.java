package io.lockable.autoconfigure.observability;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of locks.
 *
 * @since 0.1.0
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * An acquisition, from the call to its outcome.
	 */
	LOCK_ACQUIRE("acquire"),
	/**
	 * A held lock, from its acquisition to its release or loss.
	 */
	LOCK_HOLD("hold");

	private final String act;

	LockObservationDocumentation(String act) {
		this.act = act;
	}

	String act() {
		return this.act;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return LockObservationConvention.class;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return new KeyName[] { KeyNames.ENGINE, KeyNames.NAME, KeyNames.OUTCOME };
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return new KeyName[] { KeyNames.KEY, KeyNames.FENCING_TOKEN, KeyNames.REQUEST_ID };
	}

	/**
	 * The key names. Timers have the first three, spans all.
	 */
	public enum KeyNames implements KeyName {

		/**
		 * The name of the engine: {@code distributedLocks} for that of Spring Boot.
		 */
		ENGINE("lock.engine"),
		/**
		 * The name of the lock, which all keys of a kind share.
		 */
		NAME("lock.name"),
		/**
		 * The outcome of an acquisition: {@code acquired}, {@code refused},
		 * {@code timed_out}, {@code cancelled} or {@code failed}. The outcome of a held
		 * lock: {@code released}, {@code lost} or {@code failed}.
		 */
		OUTCOME("lock.outcome"),
		/**
		 * The full name of the lock.
		 */
		KEY("lock.key"),
		/**
		 * The fencing token; absent after a failed acquisition.
		 */
		FENCING_TOKEN("lock.fencing.token"),
		/**
		 * The request id at the start of the owner token; absent after a failed
		 * acquisition.
		 */
		REQUEST_ID("lock.request.id");

		private final String text;

		KeyNames(String text) {
			this.text = text;
		}

		@Override
		public String asString() {
			return this.text;
		}

		@Override
		public boolean isRequired() {
			return this != FENCING_TOKEN && this != REQUEST_ID;
		}

	}

}
