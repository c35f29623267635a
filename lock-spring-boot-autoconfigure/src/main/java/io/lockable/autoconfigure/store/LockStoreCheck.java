package io.lockable.autoconfigure.store;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import io.lockable.Internal;
import io.lockable.autoconfigure.properties.InvalidLockPropertyException;
import io.lockable.spring.Reaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Asks each store at start whether it works, if the application wants to know: after the
 * connections have been started, and before jobs and requests come.
 */
@Internal
public final class LockStoreCheck implements SmartLifecycle {

	/**
	 * After web servers, message listeners, schedulers and executors, and before the
	 * connections; in reverse order at the start.
	 */
	public static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private static final Logger logger = LoggerFactory.getLogger(LockStoreCheck.class);

	private final Supplier<List<LockStoreProbe>> probes;

	private final Reaction reaction;

	private volatile boolean running;

	/**
	 * Creates a check.
	 * @param probes each asks a store
	 * @param reaction what to do if a store does not work
	 */
	public LockStoreCheck(Supplier<List<LockStoreProbe>> probes, Reaction reaction) {
		this.probes = probes;
		this.reaction = reaction;
	}

	@Override
	public void start() {
		if (this.reaction != Reaction.IGNORE) {
			List<LockStoreProbe> all = this.probes.get();
			if (all.isEmpty()) {
				throw new InvalidLockPropertyException("check.unreachable-store",
						"must be ignore without a single bean of type LockStore to check, was %s"
							.formatted(this.reaction.name().toLowerCase(Locale.ROOT)),
						"Define the store as a bean, mark one of several as @Primary, or define a bean of type LockStoreProbe for each.");
			}
			all.forEach(this::check);
		}
		this.running = true;
	}

	private void check(LockStoreProbe probe) {
		Duration timeout = probe.timeout();
		String failure = probe.run().failure();
		if (failure != null) {
			report(new UnreachableLockStoreException(probe.store(), timeout, failure));
		}
	}

	private void report(UnreachableLockStoreException problem) {
		if (this.reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{} Locks can be acquired as soon as the store works.", problem.getDescription());
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
