package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All observers of an engine as one, none of which can harm a lock by what it throws.
 */
final class Observers implements LockObserver {

	private static final Logger log = LoggerFactory.getLogger(Observers.class);

	private static final LockObservation NONE = new LockObservation() {
	};

	private final List<LockObserver> observers;

	Observers(List<LockObserver> observers) {
		this.observers = List.copyOf(observers);
	}

	@Override
	public LockObservation acquiring(String key, LockOptions options) {
		if (this.observers.isEmpty()) {
			return NONE;
		}
		List<LockObservation> observations = new ArrayList<>(this.observers.size());
		tell(this.observers, (observer) -> observations.add(observer.acquiring(key, options)));
		return new All(observations);
	}

	private static <T> void tell(List<T> all, Consumer<T> call) {
		for (T one : all) {
			try {
				call.accept(one);
			}
			catch (RuntimeException | Error ex) {
				log.warn("A lock observer failed; the lock is not affected", ex);
			}
		}
	}

	/**
	 * All observations of one acquisition.
	 *
	 * @param observations one of each observer
	 */
	private record All(List<LockObservation> observations) implements LockObservation {

		@Override
		public void acquired(Lease lease) {
			tell(this.observations, (observation) -> observation.acquired(lease));
		}

		@Override
		public void refused() {
			tell(this.observations, LockObservation::refused);
		}

		@Override
		public void timedOut() {
			tell(this.observations, LockObservation::timedOut);
		}

		@Override
		public void cancelled() {
			tell(this.observations, LockObservation::cancelled);
		}

		@Override
		public void failed(LockException failure) {
			tell(this.observations, (observation) -> observation.failed(failure));
		}

		@Override
		public void renewed(Duration lag) {
			tell(this.observations, (observation) -> observation.renewed(lag));
		}

		@Override
		public void renewalFailed(Throwable failure) {
			tell(this.observations, (observation) -> observation.renewalFailed(failure));
		}

		@Override
		public void lost(LockLost event) {
			tell(this.observations, (observation) -> observation.lost(event));
		}

		@Override
		public void released(boolean ours) {
			tell(this.observations, (observation) -> observation.released(ours));
		}

		@Override
		public void releaseFailed(Throwable failure) {
			tell(this.observations, (observation) -> observation.releaseFailed(failure));
		}

	}

}
