package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

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
		tell(this.observers, (observer) -> observations.add(Objects.requireNonNull(observer.acquiring(key, options))));
		return new OrderedObservation(observations);
	}

	/**
	 * Tells all, whatever one of them throws, which may be a checked exception as well.
	 * @param <T> the type of those told
	 * @param all whom to tell
	 * @param call tells one
	 */
	static <T> void tell(List<T> all, Consumer<T> call) {
		for (T one : all) {
			try {
				call.accept(one);
			}
			catch (Throwable ex) {
				log.warn("A lock observer failed; the lock is not affected", ex);
			}
		}
	}

}
