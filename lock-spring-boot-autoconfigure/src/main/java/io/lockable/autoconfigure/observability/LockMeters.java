package io.lockable.autoconfigure.observability;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockEvent.HandOff;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * A listener that records the locks of an engine in the meters of a registry. Each meter
 * has tags for the names of the lock and the engine, and never a key.
 *
 * <p>
 * Spring Boot's engine has an instance. Other engines need their own instances with
 * different names: <pre class="code">
 * LockEngine.builder(store).listener(new LockMeters(registry, "reporting")).build();
 * </pre>
 *
 * <p>
 * If instances with the same registry and name replace each other, their counters
 * continue, and the gauges belong to the last instance.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class LockMeters implements LockListener {

	private final MeterRegistry registry;

	private final String engine;

	private final LockNames names;

	/**
	 * The meters by name of the lock. The map grows with the names of the application, up
	 * to the limit of {@link LockNames}.
	 */
	private final Map<String, NameMeters> meters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters of an engine. The meters of a lock name are registered at its
	 * first event.
	 * @param registry the meter registry
	 * @param engine the name of the engine, unique in this registry
	 */
	public LockMeters(MeterRegistry registry, String engine) {
		this(registry, engine, new LockNames());
	}

	LockMeters(MeterRegistry registry, String engine, LockNames names) {
		this.registry = Objects.requireNonNull(registry, "'registry' must not be null");
		this.engine = Objects.requireNonNull(engine, "'engine' must not be null");
		this.names = names;
	}

	/**
	 * Counts deadlocks: all other events arrive in {@link #acquiring}.
	 */
	@Override
	public void onEvent(LockEvent event) {
		if (event instanceof LockEvent.Deadlocked) {
			of(event.name()).deadlocks.increment();
		}
	}

	@Override
	public Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		return new MeteredAcquisition(of(options.name()));
	}

	/**
	 * Returns the gauge of the locks that an engine retains. It has no tag for a lock
	 * name.
	 * @param engine the engine
	 * @param name the name of the engine, unique in a registry
	 * @return the binder that registers the gauge
	 */
	public static MeterBinder retained(LockEngine engine, String name) {
		return (registry) -> gauge(registry,
				Gauge.builder("lock.retained", engine, (each) -> each.retained().size())
					.description("Locks that this instance retains without a holder")
					.tags("lock.engine", name));
	}

	/**
	 * Replaces the gauge of a former engine. Otherwise the registry would keep that gauge
	 * with its last value.
	 */
	private static void gauge(MeterRegistry registry, Gauge.Builder<?> gauge) {
		registry.remove(gauge.register(registry));
		gauge.register(registry);
	}

	private NameMeters of(String name) {
		NameMeters known = this.meters.get(name);
		return (known != null) ? known : this.meters.computeIfAbsent(this.names.of(name),
				(limited) -> new NameMeters(this.registry, Tags.of("lock.engine", this.engine, "lock.name", limited)));
	}

	/**
	 * The meters of all locks with one name. They are registered together, so that
	 * counters exist at zero before the first loss. A rate misses a counter that begins
	 * at one.
	 */
	private static final class NameMeters {

		final LongAdder waiting = new LongAdder();

		final LongAdder held = new LongAdder();

		final Map<Enum<?>, Counter> counters = new HashMap<>();

		final Map<HandOff, Timer> handOffs = new EnumMap<>(HandOff.class);

		final Counter renewalFailed;

		final Counter deadlocks;

		final Timer renewalLag;

		private final MeterRegistry registry;

		private final Tags tags;

		NameMeters(MeterRegistry registry, Tags tags) {
			this.registry = registry;
			this.tags = tags;
			for (Outcome outcome : EnumSet.complementOf(EnumSet.of(Outcome.LOST))) {
				boolean acquisition = outcome.isOfAcquisition();
				this.counters.put(outcome,
						counter(acquisition ? "lock.acquisitions" : "lock.releases",
								(acquisition ? "Acquisitions of locks" : "Releases of locks by their holders")
										+ ", by their outcome",
								tags.and("lock.outcome", outcome.tag())));
			}
			for (LockLost.Reason reason : LockLost.Reason.values()) {
				this.counters.put(reason, counter("lock.lost", "Locks that were lost before their release",
						tags.and("lock.reason", reason.name().toLowerCase(Locale.ROOT))));
			}
			this.renewalFailed = counter("lock.renewals.failed",
					"Renewals that failed in the store; each is retried until the lease expires", tags);
			this.deadlocks = counter("lock.deadlocks",
					"Deadlocks, by the name of the lock for which the youngest call waits", tags);
			for (HandOff handOff : EnumSet.of(HandOff.LOCAL, HandOff.REMOTE)) {
				this.handOffs.put(handOff,
						timer("lock.handoffs", "Waits of acquisitions that followed another holder, by its place",
								tags.and("lock.holder", handOff.name().toLowerCase(Locale.ROOT))));
			}
			this.renewalLag = timer("lock.renewal.lag", "Delay of successful renewals behind their planned time", tags);
			gauge("lock.held", "Locks that this instance holds", this.held);
			gauge("lock.waiting", "Acquisitions of this instance in flight", this.waiting);
		}

		private Counter counter(String name, String description, Tags all) {
			return Counter.builder(name).description(description).tags(all).register(this.registry);
		}

		private Timer timer(String name, String description, Tags all) {
			return Timer.builder(name).description(description).tags(all).register(this.registry);
		}

		private void gauge(String name, String description, LongAdder number) {
			LockMeters.gauge(this.registry,
					Gauge.builder(name, number, LongAdder::sum).description(description).tags(this.tags));
		}

	}

	/**
	 * One acquisition: it waits from its start to its outcome, and is held until its loss
	 * or release, whichever is first.
	 */
	private static final class MeteredAcquisition implements Consumer<LockEvent> {

		private final NameMeters meters;

		/**
		 * Whether the lease counts as held. A release may follow a loss, and must not be
		 * subtracted twice.
		 */
		private boolean held;

		MeteredAcquisition(NameMeters meters) {
			this.meters = meters;
			meters.waiting.increment();
		}

		@Override
		public void accept(LockEvent event) {
			Outcome outcome = Outcome.of(event);
			if (outcome != null) {
				end(outcome);
				Enum<?> counted = (event instanceof LockLost lost) ? lost.reason() : outcome;
				Objects.requireNonNull(this.meters.counters.get(counted)).increment();
				if (event instanceof LockEvent.Acquired acquired && acquired.handOff() != HandOff.NONE) {
					Objects.requireNonNull(this.meters.handOffs.get(acquired.handOff())).record(acquired.waited());
				}
			}
			else if (event instanceof LockEvent.Renewed renewed) {
				this.meters.renewalLag.record(renewed.lag());
			}
			else {
				this.meters.renewalFailed.increment();
			}
		}

		private void end(Outcome outcome) {
			if (outcome == Outcome.ACQUIRED) {
				this.held = true;
				this.meters.held.increment();
			}
			if (outcome.isOfAcquisition()) {
				this.meters.waiting.decrement();
			}
			else if (this.held) {
				this.held = false;
				this.meters.held.decrement();
			}
		}

	}

}
