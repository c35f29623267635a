package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.lockable.Lease;
import io.lockable.LockAcquired;
import io.lockable.LockActivityListener;
import io.lockable.LockException;
import io.lockable.LockFailed;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockRefused;
import io.lockable.LockReleaseFailed;
import io.lockable.LockReleased;
import io.lockable.LockRenewalFailed;

/**
 * Tells the listeners of an engine, on their own thread.
 */
final class Listeners implements LockObserver {

	private final List<LockListener> all;

	private final List<LockActivityListener> ofActivity;

	private final Workers workers;

	private final LongSupplier clock;

	Listeners(List<LockListener> listeners, Workers workers, LongSupplier clock) {
		this.all = List.copyOf(listeners);
		this.ofActivity = this.all.stream()
			.filter(LockActivityListener.class::isInstance)
			.map(LockActivityListener.class::cast)
			.toList();
		this.workers = workers;
		this.clock = clock;
	}

	/**
	 * Returns whether anybody wants to hear of more than failures.
	 * @return whether this is worth being an observer
	 */
	boolean listenToActivity() {
		return !this.ofActivity.isEmpty();
	}

	/**
	 * Tells of a loss, unless the observation of the acquisition does, which keeps it
	 * behind what was told of it before.
	 * @param event the loss
	 */
	void lost(LockLost event) {
		if (!listenToActivity()) {
			tell((listener) -> listener.lost(event));
		}
	}

	void renewalFailed(LockRenewalFailed event) {
		tell((listener) -> listener.renewalFailed(event));
	}

	void releaseFailed(LockReleaseFailed event) {
		tell((listener) -> listener.releaseFailed(event));
	}

	@Override
	public LockObservation acquiring(String key, LockOptions options) {
		return new Activity(key, options.name(), this.clock.getAsLong());
	}

	private void tell(Consumer<LockListener> call) {
		for (LockListener listener : this.all) {
			this.workers.tell(() -> call.accept(listener));
		}
	}

	private void tellActivity(Consumer<LockActivityListener> call) {
		for (LockActivityListener listener : this.ofActivity) {
			this.workers.tellActivity(() -> call.accept(listener));
		}
	}

	/**
	 * One acquisition. Its fields are written before the lease is given away.
	 */
	private final class Activity implements LockObservation {

		private final String key;

		private final String name;

		private final long startedAt;

		private volatile long acquiredAt;

		private volatile long fencingToken;

		Activity(String key, String name, long startedAt) {
			this.key = key;
			this.name = name;
			this.startedAt = startedAt;
		}

		@Override
		public void acquired(Lease lease) {
			this.acquiredAt = Listeners.this.clock.getAsLong();
			this.fencingToken = lease.fencingToken();
			LockAcquired event = new LockAcquired(this.key, this.name, this.fencingToken,
					Duration.ofNanos(this.acquiredAt - this.startedAt));
			tellActivity((listener) -> listener.acquired(event));
		}

		@Override
		public void refused() {
			LockRefused event = new LockRefused(this.key, this.name, since(this.startedAt));
			tellActivity((listener) -> listener.refused(event));
		}

		@Override
		public void timedOut() {
			refused();
		}

		@Override
		public void failed(LockException failure) {
			LockFailed event = new LockFailed(this.key, this.name, since(this.startedAt), failure);
			tellActivity((listener) -> listener.failed(event));
		}

		@Override
		public void lost(LockLost event) {
			tell((listener) -> listener.lost(event));
		}

		@Override
		public void released(boolean ours) {
			LockReleased event = new LockReleased(this.key, this.name, this.fencingToken, since(this.acquiredAt), ours);
			tellActivity((listener) -> listener.released(event));
		}

		private Duration since(long time) {
			return Duration.ofNanos(Listeners.this.clock.getAsLong() - time);
		}

	}

}
