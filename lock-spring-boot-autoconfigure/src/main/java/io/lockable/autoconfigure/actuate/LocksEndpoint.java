package io.lockable.autoconfigure.actuate;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.lockable.LockException;
import io.lockable.autoconfigure.actuate.ForcedReleaseDescriptor.EngineReleaseDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.HeldLockDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.LockEngineDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.RetainedLockDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.WaitingCallDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockHolderDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockStateDescriptor;
import io.lockable.engine.LockEngine;
import io.lockable.engine.LockInfo;
import io.lockable.engine.RetainedLock;
import io.lockable.store.StoredLock;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@link Endpoint @Endpoint} that shows the holders of locks and the waiters. The
 * operations on one lock are in extensions, because URL paths and JMX represent keys
 * differently.
 */
@Endpoint(id = "locks")
class LocksEndpoint {

	private final Map<String, LockEngine> engines;

	private final ForcedReleases releases;

	/**
	 * Creates the endpoint.
	 * @param engines the engines, by the names of their beans
	 * @param releases performs, logs and counts forced releases
	 */
	LocksEndpoint(Map<String, LockEngine> engines, ForcedReleases releases) {
		this.engines = new TreeMap<>(engines);
		this.releases = releases;
	}

	ForcedReleases releases() {
		return this.releases;
	}

	@ReadOperation
	LocksDescriptor locks() {
		Map<String, LockEngineDescriptor> all = new LinkedHashMap<>();
		this.engines.forEach((name, engine) -> all.put(name,
				new LockEngineDescriptor(held(engine), retained(engine.retained()), waiting(engine))));
		return new LocksDescriptor(all);
	}

	private static List<HeldLockDescriptor> held(LockEngine engine) {
		Instant now = Instant.now();
		return engine.holdings()
			.stream()
			.sorted(Comparator.comparing(LockInfo::key).thenComparing(LockInfo::fencingToken))
			.map((holding) -> HeldLockDescriptor.of(holding, now))
			.toList();
	}

	static List<RetainedLockDescriptor> retained(List<RetainedLock> retained) {
		return retained.stream()
			.map(RetainedLockDescriptor::of)
			.sorted(Comparator.comparing(RetainedLockDescriptor::key))
			.toList();
	}

	private static List<WaitingCallDescriptor> waiting(LockEngine engine) {
		Instant now = Instant.now();
		// Calls for one key keep their order.
		return engine.waiting()
			.stream()
			.map((waiting) -> WaitingCallDescriptor.of(waiting, now))
			.sorted(Comparator.comparing(WaitingCallDescriptor::key))
			.toList();
	}

	/**
	 * Reads the holders of a lock from the stores.
	 * @param key the full name of the lock
	 * @return the lock on each store
	 */
	StoredLockDescriptor lock(String key) {
		Map<String, LockStateDescriptor> all = new LinkedHashMap<>();
		this.engines.forEach((name, engine) -> {
			try {
				all.put(name, state(engine, key, engine.look(key)));
			}
			catch (LockException | UnsupportedOperationException ex) {
				all.put(name, LockStateDescriptor.failed(ex));
			}
		});
		return new StoredLockDescriptor(key, all);
	}

	private static LockStateDescriptor state(LockEngine engine, String key, StoredLock lock) {
		Map<String, String> threads = engine.holdings()
			.stream()
			.filter((holding) -> holding.key().equals(key))
			.collect(Collectors.toMap(LockInfo::owner, LockInfo::thread, (first, second) -> first));
		List<LockHolderDescriptor> holders = lock.holders()
			.stream()
			.map((holder) -> LockHolderDescriptor.of(holder, threads.get(holder.owner())))
			.toList();
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
		Map<String, StoredLock> found = new LinkedHashMap<>();
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
				all.put(engine.getKey(), this.releases.release(key, engine.getKey(), engine.getValue(), lock, who));
			}
		}
		// A holder that received the lock from the released one verifies it now, not at
		// its next renewal
		this.engines.values().forEach((engine) -> engine.verify(key));
		return new ForcedReleaseDescriptor(key, all);
	}

}
