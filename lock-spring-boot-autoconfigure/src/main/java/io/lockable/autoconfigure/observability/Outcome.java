package io.lockable.autoconfigure.observability;

/**
 * What becomes of an acquisition, a lease or a release, as meters and observations write
 * it.
 */
final class Outcome {

	static final String UNKNOWN = "unknown";

	static final String ACQUIRED = "acquired";

	static final String REFUSED = "refused";

	static final String TIMED_OUT = "timed_out";

	static final String CANCELLED = "cancelled";

	static final String FAILED = "failed";

	static final String RELEASED = "released";

	static final String LATE = "late";

	static final String LOST = "lost";

	private Outcome() {
	}

}
