package io.lockable.benchmark.scenario;

import java.time.Duration;

/**
 * What is done with the lock held.
 */
enum Section {

	/**
	 * Nothing.
	 */
	EMPTY("empty sections") {

		@Override
		void run() {
		}

	},

	/**
	 * A parked millisecond. The system's timer makes it some 60 µs longer, for all peers
	 * alike; spinning would be exact, and would take the processor from the locks.
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
