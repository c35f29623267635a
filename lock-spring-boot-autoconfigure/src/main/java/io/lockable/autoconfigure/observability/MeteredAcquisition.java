package io.lockable.autoconfigure.observability;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.engine.LockObservation;

/**
 * One acquisition, as its meters see it: waiting from its start to its outcome, held from
 * there to the first of its loss and its release.
 */
final class MeteredAcquisition implements LockObservation {

	private final NameMeters meters;

	/**
	 * Whether the lease counts as held. A release may come after a loss, and must not be
	 * subtracted twice.
	 */
	private final AtomicBoolean held = new AtomicBoolean();

	MeteredAcquisition(NameMeters meters) {
		this.meters = meters;
		meters.waiting.increment();
	}

	@Override
	public void acquired(Lease lease) {
		this.held.set(true);
		this.meters.held.increment();
		this.meters.waiting.decrement();
		this.meters.acquired.increment();
	}

	@Override
	public void refused() {
		this.meters.waiting.decrement();
		this.meters.refused.increment();
	}

	@Override
	public void timedOut() {
		this.meters.waiting.decrement();
		this.meters.timedOut.increment();
	}

	@Override
	public void cancelled() {
		this.meters.waiting.decrement();
		this.meters.cancelled.increment();
	}

	@Override
	public void failed(LockException failure) {
		this.meters.waiting.decrement();
		this.meters.failed.increment();
	}

	@Override
	public void renewed(Duration lag) {
		this.meters.renewalLag.record(lag);
	}

	@Override
	public void renewalFailed(Throwable failure) {
		this.meters.renewalFailed.increment();
	}

	@Override
	public void lost(LockLost event) {
		end();
		this.meters.lost(event.reason()).increment();
	}

	@Override
	public void released(boolean ours) {
		end();
		(ours ? this.meters.released : this.meters.releasedLate).increment();
	}

	@Override
	public void releaseFailed(Throwable failure) {
		end();
		this.meters.releaseFailed.increment();
	}

	private void end() {
		if (this.held.getAndSet(false)) {
			this.meters.held.decrement();
		}
	}

}
