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
	LOCK_ACQUIRE {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockAcquireObservationConvention.class;
		}

	},

	/**
	 * A held lock, from its acquisition to its release or loss.
	 */
	LOCK_HOLD {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockHoldObservationConvention.class;
		}

	};

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinalityKeyNames.values();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinalityKeyNames.values();
	}

	/**
	 * The key names of timers and spans.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

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
		OUTCOME("lock.outcome");

		private final String text;

		LowCardinalityKeyNames(String text) {
			this.text = text;
		}

		@Override
		public String asString() {
			return this.text;
		}

	}

	/**
	 * The key names of spans only.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

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

		HighCardinalityKeyNames(String text) {
			this.text = text;
		}

		@Override
		public String asString() {
			return this.text;
		}

		@Override
		public boolean isRequired() {
			return this == KEY;
		}

	}

}
