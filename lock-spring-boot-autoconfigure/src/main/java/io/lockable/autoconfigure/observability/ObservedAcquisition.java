package io.lockable.autoconfigure.observability;

import java.util.function.Consumer;

import io.lockable.LockAcquired;
import io.lockable.LockCancelled;
import io.lockable.LockEvent;
import io.lockable.LockFailed;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockRefused;
import io.lockable.LockReleaseFailed;
import io.lockable.LockReleased;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition as two observations, of which the second begins before the first ends.
 * No scope is open while they run: neither belongs to a thread.
 */
final class ObservedAcquisition implements Consumer<LockEvent> {

	private final LockObservations observations;

	private final @Nullable Observation parent;

	private final Observation acquire;

	private final LockAcquireObservationContext acquireContext;

	/**
	 * What is held. It is stopped once: a release may come after a loss.
	 */
	private @Nullable Hold hold;

	ObservedAcquisition(LockObservations observations, @Nullable Observation parent, Observation acquire,
			LockAcquireObservationContext acquireContext) {
		this.observations = observations;
		this.parent = parent;
		this.acquire = acquire;
		this.acquireContext = acquireContext;
	}

	@Override
	public void accept(LockEvent event) {
		if (event instanceof LockAcquired acquired) {
			acquired(acquired);
		}
		else if (event instanceof LockRefused refused) {
			stopAcquire(refused.timedOut() ? Outcome.TIMED_OUT : Outcome.REFUSED);
		}
		else if (event instanceof LockCancelled) {
			stopAcquire(Outcome.CANCELLED);
		}
		else if (event instanceof LockFailed failed) {
			this.acquire.error(failed.cause());
			stopAcquire(Outcome.FAILED);
		}
		else if (event instanceof LockLost lost) {
			stopHold(Outcome.LOST,
					new LockLostException("Lock '%s' was lost: %s".formatted(lost.key(), lost.reason())));
		}
		else if (event instanceof LockReleased released) {
			stopHold(released.ours() ? Outcome.RELEASED : Outcome.LOST, null);
		}
		else if (event instanceof LockReleaseFailed failed) {
			stopHold(Outcome.FAILED, failed.cause());
		}
	}

	private void acquired(LockAcquired event) {
		this.acquireContext.setAcquired(event);
		try {
			LockHoldObservationContext context = new LockHoldObservationContext(this.acquireContext, event);
			// Outside of any observation, the acquisition is what ties both together.
			Observation above = (this.parent != null) ? this.parent : this.acquire;
			this.hold = new Hold(this.observations.startHold(context, above), context);
		}
		finally {
			stopAcquire(Outcome.ACQUIRED);
		}
	}

	private void stopAcquire(String outcome) {
		this.acquireContext.setOutcome(outcome);
		this.acquire.stop();
	}

	private void stopHold(String outcome, @Nullable Throwable failure) {
		Hold ended = this.hold;
		if (ended == null) {
			return;
		}
		this.hold = null;
		ended.context().setOutcome(outcome);
		if (failure != null) {
			ended.observation().error(failure);
		}
		ended.observation().stop();
	}

	/**
	 * The observation of what is held.
	 *
	 * @param observation the observation
	 * @param context what it knows
	 */
	private record Hold(Observation observation, LockHoldObservationContext context) {

	}

}
