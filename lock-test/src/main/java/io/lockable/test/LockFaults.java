package io.lockable.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * Faults of locks on demand: another owner holds a lock, a lock is lost, or the store
 * fails. <pre class="code">
 * LockFaults faults = new LockFaults();
 * LockEngine locks = LockEngine.builder(faults.wrap(new InMemoryLockStore())).build();
 * faults.hold("order:42");
 * </pre>
 *
 * <p>
 * Keys are full names as stored, including their prefix. Faults last until
 * {@link #heal()}.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockFaults {

	private static final Duration LONG = Duration.ofDays(365);

	private static final int ANSWER_SECONDS = 10;

	// The number of further commands of each kind that fail.
	private final Map<Command, Integer> failing = new EnumMap<>(Command.class);

	private final List<LockStore> stores = new CopyOnWriteArrayList<>();

	private final List<LockEngine> engines = new CopyOnWriteArrayList<>();

	// The owner tokens of the locks that the simulated other owner holds.
	private final Map<String, String> others = new ConcurrentHashMap<>();

	/**
	 * Wraps a store with these faults.
	 * @param store the store; all stores that one object wraps must use the same backend
	 * @return a store that is queueing, sharing, recalling or inspectable if the given
	 * one is
	 */
	public LockStore wrap(LockStore store) {
		Objects.requireNonNull(store, "'store' must not be null");
		this.stores.add(store);
		return new FaultyLockStore(store, this).proxy();
	}

	/**
	 * Registers an engine for {@link #lose}.
	 * @param engine an engine on a store of {@link #wrap}
	 */
	public void watch(LockEngine engine) {
		this.engines.add(Objects.requireNonNull(engine, "'engine' must not be null"));
	}

	/**
	 * Lets another owner hold a lock, until {@link #free} or {@link #heal()}.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if the lock is already held
	 */
	public void hold(String key) {
		String owner = "another-owner:" + UUID.randomUUID();
		if (!(answer(store().acquire(key, owner, LONG)) instanceof Granted)) {
			throw new IllegalStateException("Lock '%s' is held already".formatted(key));
		}
		this.others.put(key, owner);
	}

	/**
	 * Releases a lock of {@link #hold}. The next waiter acquires it.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if no other owner holds it
	 */
	public void free(String key) {
		String owner = this.others.remove(key);
		if (owner == null || !answer(store().release(key, owner))) {
			throw new IllegalStateException("Lock '%s' is not held by another owner".formatted(key));
		}
	}

	/**
	 * Ends the leases of a lock in the store without notifying its holders, as after a
	 * long pause. A holder detects the loss by the next answer of the store, to a renewal
	 * or its release. The next waiter acquires the lock.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if the lock is not held
	 * @throws UnsupportedOperationException if the store is not an
	 * {@link InspectableLockStore}
	 */
	public void expire(String key) {
		if (!(store() instanceof InspectableLockStore store)) {
			throw new UnsupportedOperationException("'store' must be an InspectableLockStore, was " + store());
		}
		boolean held = false;
		for (StoredLock.Holder holder : answer(store.look(key)).holders()) {
			held |= answer(store.release(key, holder.owner()));
		}
		if (!held) {
			throw new IllegalStateException("Lock '%s' is not held".formatted(key));
		}
	}

	/**
	 * Ends the leases of a lock as {@link #expire} does, and notifies the holders
	 * immediately. This completes {@link io.lockable.Lease#lost()}, notifies the
	 * listeners, and triggers {@link io.lockable.annotation.OnLost} of an annotated
	 * method.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if the lock is not held, or no engine is
	 * {@linkplain #watch registered}
	 */
	public void lose(String key) {
		if (this.engines.isEmpty()) {
			throw new IllegalStateException("No engine is registered: call watch(engine) first");
		}
		expire(key);
		for (LockEngine engine : this.engines) {
			engine.verify(key);
			if (engine.runtime() instanceof LockTestClock clock) {
				clock.settle();
			}
		}
	}

	/**
	 * Lets commands fail with {@link LockStoreException} before they reach the store,
	 * until {@link #heal()}.
	 * @param commands the kinds of commands; all kinds if empty
	 */
	public void fail(Command... commands) {
		List<Command> chosen = (commands.length > 0) ? List.of(commands) : Arrays.asList(Command.values());
		chosen.forEach((command) -> failNext(Integer.MAX_VALUE, command));
	}

	/**
	 * Lets the next commands of a kind fail as {@link #fail} does, and later ones
	 * succeed.
	 * @param times the number of failing commands
	 * @param command the kind of command
	 */
	public void failNext(int times, Command command) {
		if (times < 1) {
			throw new IllegalArgumentException("'times' must be at least 1, was " + times);
		}
		synchronized (this.failing) {
			this.failing.put(command, times);
		}
	}

	/**
	 * Ends all faults: commands reach the store, and locks of {@link #hold} are released.
	 * Leases that have ended stay ended.
	 */
	public void heal() {
		synchronized (this.failing) {
			this.failing.clear();
		}
		this.others.forEach((key, owner) -> {
			if (this.others.remove(key, owner)) {
				answer(store().release(key, owner));
			}
		});
	}

	/**
	 * Decides whether a command fails.
	 * @param command the kind of command
	 * @param key the full name of the lock
	 * @return the failure, or {@code null} to send it
	 */
	@Nullable LockStoreException failureOf(Command command, String key) {
		synchronized (this.failing) {
			if (!this.failing.containsKey(command)) {
				return null;
			}
			this.failing.computeIfPresent(command, (same, left) -> (left > 1) ? left - 1 : null);
		}
		return new LockStoreException("A fault was set: %s of lock '%s' fails".formatted(command, key), null);
	}

	private LockStore store() {
		if (this.stores.isEmpty()) {
			throw new IllegalStateException("No store is wrapped: call wrap(store) first");
		}
		return this.stores.get(0);
	}

	private static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).join();
	}

	/**
	 * The kind of a command of the store.
	 */
	public enum Command {

		/**
		 * Acquires a lock, or transfers it to a successor within the instance.
		 */
		ACQUIRE,

		/**
		 * Releases a lock, keeps it for the rest of its minimum hold, or leaves its
		 * queue.
		 */
		RELEASE,

		/**
		 * Extends a lease.
		 */
		EXTEND,

		/**
		 * Looks up whether a lock is held, or its holders.
		 */
		LOOK

	}

}
