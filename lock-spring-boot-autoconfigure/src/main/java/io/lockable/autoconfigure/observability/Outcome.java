package io.lockable.autoconfigure.observability;

import io.lockable.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of acquisitions, leases and releases in meters and observations.
 */
final class Outcome {

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

	/**
	 * Returns the outcome of an acquisition.
	 * @param event the event
	 * @return the outcome, or {@code null} for other events
	 */
	static @Nullable String ofAcquisition(LockEvent event) {
		if (event instanceof LockEvent.Refused refused) {
			return refused.timedOut() ? TIMED_OUT : REFUSED;
		}
		if (event instanceof LockEvent.Cancelled) {
			return CANCELLED;
		}
		if (event instanceof LockEvent.Failed) {
			return FAILED;
		}
		return (event instanceof LockEvent.Acquired) ? ACQUIRED : null;
	}

	/**
	 * Returns the outcome of a release.
	 * @param event the event
	 * @return the outcome, or {@code null} for other events
	 */
	static @Nullable String ofRelease(LockEvent event) {
		if (event instanceof LockEvent.Released released) {
			return released.ours() ? RELEASED : LATE;
		}
		return (event instanceof LockEvent.ReleaseFailed) ? FAILED : null;
	}

}
