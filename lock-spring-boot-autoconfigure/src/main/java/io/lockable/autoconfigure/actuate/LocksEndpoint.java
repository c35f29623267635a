package io.lockable.autoconfigure.actuate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.lockable.LockException;
import io.lockable.autoconfigure.actuate.ForcedReleaseDescriptor.EngineReleaseDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.LockEngineDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockHolderDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockStateDescriptor;
import io.lockable.engine.ForcedRelease;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.InspectedLock;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.store.StoredLock;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;

/**
 * {@link Endpoint @Endpoint} that shows the holders of locks and the waiters. The
 * operations on one lock are in extensions, because URL paths and JMX represent keys
 * differently.
 */
@Endpoint(id = "locks")
class LocksEndpoint {

	private static final Logger log = LoggerFactory.getLogger(LocksEndpoint.class);

	private final Map<String, LockEngine> engines;

	private final boolean forcesReleases;

	private final AtomicLong forcedReleases = new AtomicLong();

	/**
	 * Creates the endpoint.
	 * @param engines the engines, by the names of their beans
	 * @param forcesReleases whether users may release locks by force
	 */
	LocksEndpoint(Map<String, LockEngine> engines, boolean forcesReleases) {
		this.engines = new TreeMap<>(engines);
		this.forcesReleases = forcesReleases;
	}

	boolean forcesReleases() {
		return this.forcesReleases;
	}

	/**
	 * Returns the number of holders that have lost their lock by a forced release.
	 * @return the number since the start
	 */
	long forcedReleases() {
		return this.forcedReleases.get();
	}

	/**
	 * Reads the locks of all instances. Waits up to a second for their answers.
	 * @return the locks
	 */
	LocksDescriptor locks() {
		Map<String, LockEngineDescriptor> all = new TreeMap<>();
		this.engines.forEach((name, engine) -> all.put(name, LockEngineDescriptor.of(engine)));
		return new LocksDescriptor(all);
	}

	/**
	 * Reads the holders of a lock from the stores.
	 * @param key the full name of the lock
	 * @return the lock on each store
	 */
	StoredLockDescriptor lock(String key) {
		Map<String, LockStateDescriptor> all = new TreeMap<>();
		this.engines.forEach((name, engine) -> {
			try {
				all.put(name, state(engine.inspect(key)));
			}
			catch (LockException | UnsupportedOperationException ex) {
				all.put(name, LockStateDescriptor.failed(ex));
			}
		});
		return new StoredLockDescriptor(key, all);
	}

	private static LockStateDescriptor state(InspectedLock inspected) {
		StoredLock lock = inspected.lock();
		List<LockHolderDescriptor> holders = new ArrayList<>();
		for (int i = 0; i < lock.holders().size(); i++) {
			LockInfo known = (i < inspected.holders().size()) ? inspected.holders().get(i) : null;
			holders.add(LockHolderDescriptor.of(lock.holders().get(i), known));
		}
		return new LockStateDescriptor(lock.shared(), lock.waiting(), holders, null);
	}

	private static boolean hasIt(LockEngine engine, String key) {
		return engine.holdings().stream().anyMatch((holding) -> holding.key().equals(key))
				|| engine.retained().stream().anyMatch((retained) -> retained.key().equals(key));
	}

	/**
	 * Releases a lock on all stores, for any holder. All stores are read before any
	 * release. If engines share a store, the second release must not hit the waiter that
	 * received the lock from the first. The engine that holds or retains the lock goes
	 * first, so that its holder is notified at once. The last step verifies holds that
	 * the store did not know yet.
	 * @param key the full name of the lock
	 * @param who the requester
	 * @return the result on each store
	 */
	ForcedReleaseDescriptor forceRelease(String key, String who) {
		Map<String, StoredLock> found = new HashMap<>();
		Map<String, EngineReleaseDescriptor> all = new TreeMap<>();
		this.engines.forEach((name, engine) -> {
			try {
				found.put(name, engine.look(key));
			}
			catch (LockException | UnsupportedOperationException ex) {
				all.put(name, EngineReleaseDescriptor.failed(ex));
			}
		});
		List<Map.Entry<String, LockEngine>> order = this.engines.entrySet()
			.stream()
			.sorted(Comparator.comparing((engine) -> !hasIt(engine.getValue(), key)))
			.toList();
		for (Map.Entry<String, LockEngine> engine : order) {
			StoredLock lock = found.get(engine.getKey());
			if (lock != null) {
				all.put(engine.getKey(), forceRelease(key, engine.getKey(), engine.getValue(), lock, who));
			}
		}
		// A holder that received the lock from the released one verifies it now, not at
		// its next renewal
		this.engines.values().forEach((engine) -> engine.verify(key));
		return new ForcedReleaseDescriptor(key, all);
	}

	private EngineReleaseDescriptor forceRelease(String key, String name, LockEngine engine, StoredLock lock,
			String who) {
		try {
			ForcedRelease forced = engine.forceRelease(key, lock);
			List<String> released = owners(forced.released(), ShownOwner::of);
			if (!released.isEmpty()) {
				this.forcedReleases.addAndGet(released.size());
				log.warn(
						"Lock '{}' of bean '{}' was released by force at the request of {} over Actuator. Its holders: {}",
						LogSafe.of(key), name, LogSafe.of(who),
						LogSafe.of(owners(forced.released(), ShownOwner::logged).toString()));
			}
			int unknown = forced.unknown().size();
			return new EngineReleaseDescriptor(released, owners(forced.gone(), ShownOwner::of), (unknown > 0)
					? "The store did not answer for %d more holders, which may still hold the lock".formatted(unknown)
					: null);
		}
		catch (LockException ex) {
			log.warn("The outcome for lock '{}' of bean '{}' is unknown: the release by force, requested by "
					+ "{} over Actuator, failed", LogSafe.of(key), name, LogSafe.of(who), ex);
			return EngineReleaseDescriptor.failed(ex);
		}
	}

	private static List<String> owners(List<StoredLock.Holder> holders, UnaryOperator<String> shown) {
		return holders.stream().map(StoredLock.Holder::owner).map(shown).toList();
	}

}
