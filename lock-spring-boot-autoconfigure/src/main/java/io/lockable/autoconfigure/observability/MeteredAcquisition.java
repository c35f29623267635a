package io.lockable.autoconfigure.observability;

import java.util.function.Consumer;

import io.lockable.LockAcquired;
import io.lockable.LockCancelled;
import io.lockable.LockEvent;
import io.lockable.LockFailed;
import io.lockable.LockLost;
import io.lockable.LockRefused;
import io.lockable.LockReleaseFailed;
import io.lockable.LockReleased;
import io.lockable.LockRenewalFailed;
import io.lockable.LockRenewed;
import io.micrometer.core.instrument.Counter;

/**
 * One acquisition, as its meters see it: waiting from its start to its outcome, held from
 * there to the first of its loss and its release.
 */
final class MeteredAcquisition implements Consumer<LockEvent> {

	private final NameMeters meters;

	/**
	 * Whether the lease counts as held. A release may come after a loss, and must not be
	 * subtracted twice.
	 */
	private boolean held;

	MeteredAcquisition(NameMeters meters) {
		this.meters = meters;
		meters.waiting.increment();
	}

	@Override
	public void accept(LockEvent event) {
		if (event instanceof LockAcquired) {
			this.held = true;
			this.meters.held.increment();
			decided(this.meters.acquired);
		}
		else if (event instanceof LockReleased released) {
			ended(released.ours() ? this.meters.released : this.meters.releasedLate);
		}
		else if (event instanceof LockRefused refused) {
			decided(refused.timedOut() ? this.meters.timedOut : this.meters.refused);
		}
		else if (event instanceof LockCancelled) {
			decided(this.meters.cancelled);
		}
		else if (event instanceof LockFailed) {
			decided(this.meters.failed);
		}
		else if (event instanceof LockRenewed renewed) {
			this.meters.renewalLag.record(renewed.lag());
		}
		else if (event instanceof LockRenewalFailed) {
			this.meters.renewalFailed.increment();
		}
		else if (event instanceof LockLost lost) {
			ended(this.meters.lost(lost.reason()));
		}
		else if (event instanceof LockReleaseFailed) {
			ended(this.meters.releaseFailed);
		}
	}

	private void decided(Counter outcome) {
		this.meters.waiting.decrement();
		outcome.increment();
	}

	private void ended(Counter outcome) {
		if (this.held) {
			this.held = false;
			this.meters.held.decrement();
		}
		outcome.increment();
	}

}
