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
	 * A lock that is held, from its acquisition to its release or its loss.
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
	 * What timers and spans carry.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * What tells the engine from others: {@code distributedLocks} for that of Spring
		 * Boot.
		 */
		ENGINE("lock.engine"),
		/**
		 * The name of the lock: one for all keys of a kind.
		 */
		NAME("lock.name"),
		/**
		 * What became of it: {@code acquired}, {@code refused}, {@code timed_out},
		 * {@code cancelled} or {@code failed}; for a held lock {@code released},
		 * {@code lost} or {@code failed}.
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
	 * What only spans carry.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * The full name of the lock.
		 */
		KEY("lock.key"),
		/**
		 * The fencing token; not of an acquisition that failed.
		 */
		FENCING_TOKEN("lock.fencing.token"),
		/**
		 * The request id that the owner token starts with; not of an acquisition that
		 * failed.
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
