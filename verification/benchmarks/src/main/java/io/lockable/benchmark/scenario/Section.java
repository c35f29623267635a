package io.lockable.benchmark.scenario;

import java.time.Duration;

/**
 * The critical section under the lock.
 */
enum Section {

	/**
	 * No work.
	 */
	EMPTY("empty sections") {

		@Override
		void run() {
		}

	},

	/**
	 * A parked millisecond. The timer of the system adds about 60 µs for all peers alike.
	 * Spinning would be exact, but would take processor time from the locks.
	 */
	MILLISECOND("1 ms sections (parked)") {

		private static final Duration ONE = Duration.ofMillis(1);

		@Override
		void run() {
			Site.await(ONE);
		}

	};

	private final String label;

	Section(String label) {
		this.label = label;
	}

	String label() {
		return this.label;
	}

	abstract void run();

}
