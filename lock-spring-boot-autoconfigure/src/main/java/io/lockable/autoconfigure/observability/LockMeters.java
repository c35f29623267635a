package io.lockable.autoconfigure.observability;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockObserver;
import io.lockable.LockOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Counts what happens to the locks of an engine in the meters of a registry. Each meter
 * carries the name of the lock and that of the engine, and never a key.
 *
 * <p>
 * Spring Boot's engine has one. An engine of your own gets another, with its own name:
 *
 * <pre class="code">
 * LockEngine.builder(store).observer(new LockMeters(registry, "reporting")).build();
 * </pre>
 *
 * <p>
 * Of those that have the same registry and the same name, one after the other, the
 * counters go on, and the gauges are those of the last one.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class LockMeters implements LockObserver {

	private final MeterRegistry registry;

	private final String engine;

	private final LockNames names;

	/**
	 * By the name of the lock. It grows with the names that the application has, up to
	 * the limit of {@link LockNames}.
	 */
	private final Map<String, NameMeters> meters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters of an engine. They are registered when a name is first seen.
	 * @param registry where to
	 * @param engine what tells the engine from others in this registry
	 */
	public LockMeters(MeterRegistry registry, String engine) {
		this(registry, engine, new LockNames());
	}

	LockMeters(MeterRegistry registry, String engine, LockNames names) {
		this.registry = Objects.requireNonNull(registry, "'registry' must not be null");
		this.engine = Objects.requireNonNull(engine, "'engine' must not be null");
		this.names = names;
	}

	@Override
	public Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		return new MeteredAcquisition(of(options.name()));
	}

	private NameMeters of(String name) {
		NameMeters known = this.meters.get(name);
		return (known != null) ? known : this.meters.computeIfAbsent(this.names.of(name), this::create);
	}

	private NameMeters create(String name) {
		return new NameMeters(this.registry, Tags.of("lock.engine", this.engine, "lock.name", name));
	}

}
