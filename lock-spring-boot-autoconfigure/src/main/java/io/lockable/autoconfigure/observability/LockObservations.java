package io.lockable.autoconfigure.observability;

import java.util.Objects;
import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * A listener that creates Micrometer observations for the locks of an engine: for each
 * acquisition, and for the time that each lock is held. Handlers of the registry turn
 * them into timers and spans.
 *
 * <p>
 * Spring Boot's engine has an instance. Other engines need their own instances with
 * different names: <pre class="code">
 * LockEngine.builder(store).listener(new LockObservations(registry, "reporting")).build();
 * </pre>
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class LockObservations implements LockListener {

	private final ObservationRegistry registry;

	private final String engine;

	private final LockNames names;

	/**
	 * Creates the observations of an engine.
	 * @param registry the observation registry
	 * @param engine the name of the engine, unique in this registry
	 */
	public LockObservations(ObservationRegistry registry, String engine) {
		this(registry, engine, new LockNames());
	}

	LockObservations(ObservationRegistry registry, String engine, LockNames names) {
		this.registry = Objects.requireNonNull(registry, "'registry' must not be null");
		this.engine = Objects.requireNonNull(engine, "'engine' must not be null");
		this.names = names;
	}

	/**
	 * Does nothing: all events arrive in {@link #acquiring}.
	 */
	@Override
	public void onEvent(LockEvent event) {
	}

	@Override
	public @Nullable Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		if (this.registry.isNoop()) {
			return null;
		}
		Observation parent = this.registry.getCurrentObservation();
		LockObservationContext context = new LockObservationContext(LockObservationDocumentation.LOCK_ACQUIRE,
				new LockObservationContext.Lock(this.engine, this.names.of(options.name()), key, requestId(owner)));
		return new ObservedAcquisition(parent, observation(context).start(), context);
	}

	private Observation observation(LockObservationContext context) {
		LockObservationDocumentation observation = context.getObservation();
		return observation.observation(null, new LockObservationConvention(observation), () -> context, this.registry);
	}

	/**
	 * Starts to observe a lock that was just acquired. The current thread delivered the
	 * answer or handed the lock over, and may work for another caller. The observation
	 * and its span therefore start as if the parent were current.
	 * @param context the context of the observation
	 * @param parent the current observation at the time of the request, or the
	 * acquisition
	 * @return the started observation
	 */
	private Observation startHold(LockObservationContext context, Observation parent) {
		Observation hold = observation(context).parentObservation(parent);
		boolean isCurrent = parent == this.registry.getCurrentObservation();
		try (Observation.Scope scope = isCurrent ? null : parent.openScope()) {
			return hold.start();
		}
	}

	/**
	 * Returns the part of an owner token that may be exported. The rest proves ownership
	 * to the store.
	 */
	private static String requestId(String owner) {
		return owner.substring(0, Math.max(0, owner.lastIndexOf(':')));
	}

	/**
	 * One acquisition as two observations, the second of which starts before the first
	 * ends. No scope is open meanwhile: neither observation belongs to a thread.
	 */
	private final class ObservedAcquisition implements Consumer<LockEvent> {

		private final @Nullable Observation parent;

		private final Observation acquire;

		private final LockObservationContext acquireContext;

		/**
		 * The observation of the held lock. It is stopped once: a release may follow a
		 * loss.
		 */
		private @Nullable Observation hold;

		ObservedAcquisition(@Nullable Observation parent, Observation acquire, LockObservationContext acquireContext) {
			this.parent = parent;
			this.acquire = acquire;
			this.acquireContext = acquireContext;
		}

		@Override
		public void accept(LockEvent event) {
			Outcome outcome = Outcome.of(event);
			Observation ended = this.hold;
			if (event instanceof LockEvent.Acquired acquired) {
				acquired(acquired);
			}
			else if (outcome != null && outcome.isOfAcquisition()) {
				stop(this.acquire, outcome, failure(event));
			}
			else if (outcome != null && ended != null) {
				this.hold = null;
				stop(ended, (outcome == Outcome.LATE) ? Outcome.LOST : outcome, failure(event));
			}
		}

		private static @Nullable Throwable failure(LockEvent event) {
			if (event instanceof LockLost lost) {
				return new LockLostException("Lock '%s' was lost: %s".formatted(lost.key(), lost.reason()));
			}
			return (event instanceof LockEvent.Failed failed) ? failed.cause()
					: (event instanceof LockEvent.ReleaseFailed failed) ? failed.cause() : null;
		}

		private void acquired(LockEvent.Acquired event) {
			this.acquireContext.setAcquired(event);
			LockObservationContext context = this.acquireContext.hold();
			try {
				// Without a current observation, the acquisition is the parent that
				// connects both.
				this.hold = startHold(context, (this.parent != null) ? this.parent : this.acquire);
			}
			finally {
				stop(this.acquire, Outcome.ACQUIRED, null);
			}
		}

		private static void stop(Observation observation, Outcome outcome, @Nullable Throwable failure) {
			if (observation.getContext() instanceof LockObservationContext context) {
				context.setOutcome(outcome.tag());
			}
			if (failure != null) {
				observation.error(failure);
			}
			observation.stop();
		}

	}

}
