package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
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
import io.lockable.store.Granted;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import org.jspecify.annotations.Nullable;

/**
 * What can go wrong with a lock, on demand: it is held by somebody else, it is gone, or
 * the store fails.
 *
 * <pre class="code">
 * LockFaults faults = new LockFaults();
 * LockEngine locks = LockEngine.builder(faults.wrap(new InMemoryLockStore())).build();
 * faults.hold("order:42");
 * </pre>
 *
 * <p>
 * Keys are full names, as they stand in the store, prefix included. What was caused lasts
 * until {@link #heal()}.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockFaults {

	private static final Duration LONG = Duration.ofDays(365);

	private static final int ANSWER_SECONDS = 10;

	private static final int ALWAYS = Integer.MAX_VALUE;

	// How many of the next commands of a kind fail.
	private final Map<Command, Integer> failing = new EnumMap<>(Command.class);

	private final List<FaultyLockStore> stores = new CopyOnWriteArrayList<>();

	private final List<LockEngine> engines = new CopyOnWriteArrayList<>();

	// The owner tokens of the locks that are held by somebody else.
	private final Map<String, String> others = new ConcurrentHashMap<>();

	/**
	 * Puts these faults between a store and whoever uses it.
	 * @param store the store; all stores that one object wraps are on the same backend
	 * @return a store that is queueing, sharing, recalling or inspectable if that one is
	 */
	public LockStore wrap(LockStore store) {
		Objects.requireNonNull(store, "'store' must not be null");
		boolean inspectable = store instanceof InspectableLockStore;
		FaultyLockStore faulty;
		if (store instanceof SharingLockStore sharing && store instanceof RecallingLockStore recalling) {
			faulty = inspectable ? new FaultyRecallingLockStore.Inspectable(sharing, recalling, this)
					: new FaultyRecallingLockStore(sharing, recalling, this);
		}
		else if (store instanceof SharingLockStore sharing) {
			faulty = inspectable ? new FaultySharingLockStore.Inspectable(sharing, this)
					: new FaultySharingLockStore(sharing, this);
		}
		else if (store instanceof QueueingLockStore queueing) {
			faulty = inspectable ? new FaultyQueueingLockStore.Inspectable(queueing, this)
					: new FaultyQueueingLockStore(queueing, this);
		}
		else {
			faulty = inspectable ? new FaultyLockStore.Inspectable(store, this) : new FaultyLockStore(store, this);
		}
		this.stores.add(faulty);
		return faulty;
	}

	/**
	 * Tells which engine to {@link #lose} leases of.
	 * @param engine an engine on a store of {@link #wrap}
	 */
	public void watch(LockEngine engine) {
		this.engines.add(Objects.requireNonNull(engine, "'engine' must not be null"));
	}

	/**
	 * Lets somebody else hold a lock, until that is {@linkplain #free freed} or
	 * {@linkplain #heal() healed}.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if it is held already
	 */
	public void hold(String key) {
		String owner = "somebody-else:" + UUID.randomUUID();
		if (!(answer(store().acquire(key, owner, LONG)) instanceof Granted)) {
			throw new IllegalStateException("Lock '%s' is held already".formatted(key));
		}
		this.others.put(key, owner);
	}

	/**
	 * Lets somebody else give back a lock of {@link #hold}. Whoever waits for it gets it.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if nobody else holds it
	 */
	public void free(String key) {
		String owner = this.others.remove(key);
		if (owner == null || !answer(store().release(key, owner))) {
			throw new IllegalStateException("Lock '%s' is not held by somebody else".formatted(key));
		}
	}

	/**
	 * Ends the leases of a lock in the store, unnoticed by those who hold it: as if they
	 * had paused for too long. They learn of it from the next answer of the store, to a
	 * renewal or to the release. Whoever waits for the lock gets it.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if it is not held through a store of {@link #wrap}
	 */
	public void expire(String key) {
		// Looked up before: what is released here may be granted to somebody there.
		Map<FaultyLockStore, List<String>> owners = new LinkedHashMap<>();
		this.stores.forEach((store) -> owners.put(store, store.ownersOf(key)));
		boolean held = false;
		for (Map.Entry<FaultyLockStore, List<String>> entry : owners.entrySet()) {
			FaultyLockStore store = entry.getKey();
			for (String owner : entry.getValue()) {
				held |= answer(store.delegate().release(key, owner));
				store.left(key, owner);
			}
		}
		if (!held) {
			throw new IllegalStateException("Lock '%s' is not held".formatted(key));
		}
	}

	/**
	 * Ends the leases of a lock as {@link #expire} does, and has those who hold it told
	 * so at once: {@link io.lockable.Lease#lost()}, the listeners, and what an annotated
	 * method does {@link io.lockable.OnLost}.
	 * @param key the full name of the lock
	 * @throws IllegalStateException if it is not held, or no engine is {@linkplain #watch
	 * watched}
	 */
	public void lose(String key) {
		if (this.engines.isEmpty()) {
			throw new IllegalStateException("No engine is known to tell of the loss: call watch(engine) first");
		}
		expire(key);
		this.engines.forEach((engine) -> engine.verify(key));
	}

	/**
	 * Makes commands fail with {@link LockStoreException}, before they reach the store,
	 * until {@link #heal()}.
	 * @param commands which ones; all if none is named
	 */
	public void fail(Command... commands) {
		List<Command> chosen = (commands.length > 0) ? List.of(commands) : Arrays.asList(Command.values());
		chosen.forEach((command) -> failNext(ALWAYS, command));
	}

	/**
	 * Makes some commands fail as {@link #fail} does, and those after them succeed.
	 * @param times how many
	 * @param command which ones
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
	 * Ends all faults: commands reach the store, and what another owner holds is freed.
	 * Leases that have ended stay so.
	 */
	public void heal() {
		synchronized (this.failing) {
			this.failing.clear();
		}
		for (String key : new ArrayList<>(this.others.keySet())) {
			String owner = this.others.remove(key);
			if (owner != null) {
				answer(store().release(key, owner));
			}
		}
	}

	/**
	 * Decides about a command that is to be sent.
	 * @param command what it does
	 * @param key the lock it is about
	 * @return the failure, or {@code null} to send it
	 */
	@Nullable LockStoreException failureOf(Command command, String key) {
		synchronized (this.failing) {
			Integer left = this.failing.get(command);
			if (left == null) {
				return null;
			}
			if (left == 1) {
				this.failing.remove(command);
			}
			else if (left != ALWAYS) {
				this.failing.put(command, left - 1);
			}
		}
		return new LockStoreException("A fault was asked for: %s of lock '%s' fails".formatted(command, key), null);
	}

	private LockStore store() {
		if (this.stores.isEmpty()) {
			throw new IllegalStateException("No store is known: call wrap(store) first");
		}
		return this.stores.get(0).delegate();
	}

	private static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).join();
	}

	/**
	 * What a command of the store does.
	 */
	public enum Command {

		/**
		 * Takes a lock, or hands it to a successor within the instance.
		 */
		ACQUIRE,

		/**
		 * Gives a lock back, keeps it for the rest of its shortest hold, or leaves its
		 * queue.
		 */
		RELEASE,

		/**
		 * Extends a lease.
		 */
		EXTEND,

		/**
		 * Looks whether a lock is held, or who holds it.
		 */
		LOOK

	}

}
