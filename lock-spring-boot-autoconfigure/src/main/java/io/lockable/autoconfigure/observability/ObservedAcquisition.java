package io.lockable.autoconfigure.observability;

import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.engine.LockObservation;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition as two observations, of which the second begins before the first ends.
 * No scope is open while they run: neither belongs to a thread.
 */
final class ObservedAcquisition implements LockObservation {

	private final LockObservations observations;

	private final @Nullable Observation parent;

	private final Observation acquire;

	private final LockAcquireObservationContext acquireContext;

	/**
	 * What is held. Whoever takes it out stops it: a release may come after a loss.
	 */
	private final AtomicReference<@Nullable Hold> hold = new AtomicReference<>();

	ObservedAcquisition(LockObservations observations, @Nullable Observation parent, Observation acquire,
			LockAcquireObservationContext acquireContext) {
		this.observations = observations;
		this.parent = parent;
		this.acquire = acquire;
		this.acquireContext = acquireContext;
	}

	@Override
	public void acquired(Lease lease) {
		this.acquireContext.setLease(lease);
		try {
			LockHoldObservationContext context = new LockHoldObservationContext(this.acquireContext.getEngine(),
					this.acquireContext.getLockName(), lease);
			// Outside of any observation, the acquisition is what ties both together.
			Observation above = (this.parent != null) ? this.parent : this.acquire;
			this.hold.set(new Hold(this.observations.startHold(context, above), context));
		}
		finally {
			stopAcquire(Outcome.ACQUIRED);
		}
	}

	@Override
	public void refused() {
		stopAcquire(Outcome.REFUSED);
	}

	@Override
	public void timedOut() {
		stopAcquire(Outcome.TIMED_OUT);
	}

	@Override
	public void cancelled() {
		stopAcquire(Outcome.CANCELLED);
	}

	@Override
	public void failed(LockException failure) {
		this.acquire.error(failure);
		stopAcquire(Outcome.FAILED);
	}

	@Override
	public void lost(LockLost event) {
		stopHold(Outcome.LOST, new LockLostException("Lock '%s' was lost: %s".formatted(event.key(), event.reason())));
	}

	@Override
	public void released(boolean ours) {
		stopHold(ours ? Outcome.RELEASED : Outcome.LOST, null);
	}

	@Override
	public void releaseFailed(Throwable failure) {
		stopHold(Outcome.FAILED, failure);
	}

	private void stopAcquire(String outcome) {
		this.acquireContext.setOutcome(outcome);
		this.acquire.stop();
	}

	private void stopHold(String outcome, @Nullable Throwable failure) {
		Hold ended = this.hold.getAndSet(null);
		if (ended == null) {
			return;
		}
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
