package io.lockable.autoconfigure.observability;

import java.util.Locale;
import java.util.Map;

import io.lockable.LockEvent;
import io.lockable.LockLost;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of acquisitions and leases in meters and observations.
 */
enum Outcome {

	ACQUIRED, REFUSED, TIMED_OUT, CANCELLED, FAILED, RELEASED, LATE, RELEASE_FAILED, LOST;

	private static final Map<Class<?>, Outcome> BY_EVENT = Map.of(LockEvent.Acquired.class, ACQUIRED,
			LockEvent.Cancelled.class, CANCELLED, LockEvent.Failed.class, FAILED, LockEvent.ReleaseFailed.class,
			RELEASE_FAILED, LockLost.class, LOST);

	/**
	 * Returns the outcome that an event reports.
	 * @param event the event
	 * @return the outcome, or {@code null} for a renewal
	 */
	static @Nullable Outcome of(LockEvent event) {
		if (event instanceof LockEvent.Refused refused) {
			return refused.timedOut() ? TIMED_OUT : REFUSED;
		}
		if (event instanceof LockEvent.Released released) {
			return released.ours() ? RELEASED : LATE;
		}
		return BY_EVENT.get(event.getClass());
	}

	boolean isOfAcquisition() {
		return compareTo(FAILED) <= 0;
	}

	String tag() {
		return ((this == RELEASE_FAILED) ? FAILED : this).name().toLowerCase(Locale.ROOT);
	}

}
