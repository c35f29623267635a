package io.lockable.autoconfigure.observability;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

import io.lockable.LockLost;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of all locks with one name. All of them are registered together, so that a
 * counter stands at zero before the first loss: a rate does not see one that begins at
 * one.
 */
final class NameMeters {

	final LongAdder waiting = new LongAdder();

	final LongAdder held = new LongAdder();

	final Counter acquired;

	final Counter refused;

	final Counter timedOut;

	final Counter cancelled;

	final Counter failed;

	final Counter released;

	final Counter releasedLate;

	final Counter releaseFailed;

	final Counter renewalFailed;

	final Timer renewalLag;

	private final Map<LockLost.Reason, Counter> lost = new EnumMap<>(LockLost.Reason.class);

	NameMeters(MeterRegistry registry, Tags tags) {
		this.acquired = acquisitions(registry, tags, Outcome.ACQUIRED);
		this.refused = acquisitions(registry, tags, Outcome.REFUSED);
		this.timedOut = acquisitions(registry, tags, Outcome.TIMED_OUT);
		this.cancelled = acquisitions(registry, tags, Outcome.CANCELLED);
		this.failed = acquisitions(registry, tags, Outcome.FAILED);
		this.released = releases(registry, tags, Outcome.RELEASED);
		this.releasedLate = releases(registry, tags, Outcome.LATE);
		this.releaseFailed = releases(registry, tags, Outcome.FAILED);
		for (LockLost.Reason reason : LockLost.Reason.values()) {
			this.lost.put(reason,
					Counter.builder("lock.lost")
						.description("Locks that were lost before their release")
						.tags(tags.and("lock.reason", reason.name().toLowerCase(Locale.ROOT)))
						.register(registry));
		}
		this.renewalFailed = Counter.builder("lock.renewals.failed")
			.description("Renewals that failed in the store; each is retried until the lease expires")
			.tags(tags)
			.register(registry);
		this.renewalLag = Timer.builder("lock.renewal.lag")
			.description("Delay of successful renewals behind their planned time")
			.tags(tags)
			.register(registry);
		register(registry,
				Gauge.builder("lock.held", this.held, LongAdder::sum)
					.description("Locks that this instance holds")
					.tags(tags));
		register(registry,
				Gauge.builder("lock.waiting", this.waiting, LongAdder::sum)
					.description("Acquisitions of this instance in flight")
					.tags(tags));
	}

	/**
	 * Registers a gauge, also where one stands that an engine before has left: a registry
	 * would keep that one, with its old number.
	 */
	private static void register(MeterRegistry registry, Gauge.Builder<LongAdder> gauge) {
		registry.remove(gauge.register(registry));
		gauge.register(registry);
	}

	Counter lost(LockLost.Reason reason) {
		return Objects.requireNonNull(this.lost.get(reason));
	}

	private static Counter acquisitions(MeterRegistry registry, Tags tags, String outcome) {
		return Counter.builder("lock.acquisitions")
			.description("Acquisitions of locks, by their outcome")
			.tags(tags.and("lock.outcome", outcome))
			.register(registry);
	}

	private static Counter releases(MeterRegistry registry, Tags tags, String outcome) {
		return Counter.builder("lock.releases")
			.description("Releases of locks by their holders, by their outcome")
			.tags(tags.and("lock.outcome", outcome))
			.register(registry);
	}

}
