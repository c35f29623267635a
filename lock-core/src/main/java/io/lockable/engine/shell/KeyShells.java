package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.LockException;
import io.lockable.LockStoreException;
import io.lockable.engine.inspection.RetainedLock;
import io.lockable.engine.machine.Effect;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.machine.KeyState.Retention;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.Timer;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain KeyShell queues} of an instance, one for each key with a holder or a
 * waiter in this instance. The store delivers its messages here.
 *
 * <p>
 * A fair or shared acquisition has its own shell under its owner token, because only the
 * server knows the order.
 */
public final class KeyShells implements Inbox {

	private final EngineParts parts;

	private final RenewalScheduler renewals;

	private final OrphanCleanup orphans;

	private final GrantSubscription subscription;

	private final Map<String, KeyShell> byKey = new ConcurrentHashMap<>();

	private final Map<String, KeyShell> byOwner = new ConcurrentHashMap<>();

	private final AtomicInteger exchanges = new AtomicInteger();

	private volatile boolean closed;

	private volatile LockObserver observer = LockObserver.NONE;

	public KeyShells(LockStore store, EngineRuntime runtime, Duration commandTimeout, Duration recallTimeout,
			Notifier notifier) {
		Timer timer = new Timer(runtime);
		StoreAccess access = new StoreAccess(store, runtime, commandTimeout, recallTimeout, timer);
		this.parts = new EngineParts(access, runtime, timer, notifier, FlightRecorder.create());
		this.renewals = new RenewalScheduler(this.parts);
		this.orphans = new OrphanCleanup(this.parts);
		this.subscription = new GrantSubscription(access, this, this::poll);
		this.parts.timer().add(this.renewals);
		this.parts.timer().add(this.orphans);
	}

	/**
	 * Sets the observer, before the first acquisition.
	 * @param newObserver the observer
	 */
	public void observe(LockObserver newObserver) {
		this.observer = newObserver;
	}

	public @Nullable String knownHolder(String key) {
		return this.observer.knownHolder(key);
	}

	public EngineParts parts() {
		return this.parts;
	}

	/**
	 * Returns the leases of this instance.
	 * @return the leases, in no order
	 */
	public Collection<LocalLease> leases() {
		return this.renewals.leases();
	}

	/**
	 * Enters an acquisition.
	 * @param key the full name of the lock
	 * @param pending the acquisition
	 * @return its shell
	 */
	public KeyShell enter(String key, PendingAcquisition pending) {
		LockMode mode = pending.mode();
		boolean fair = pending.options().fair() && this.parts.store().isQueueing();
		boolean own = fair || mode.isShared();
		while (true) {
			KeyShell shell = own ? create(this.byOwner, pending.owner(), key, mode, fair)
					: create(this.byKey, key, key, mode, false);
			// After the shell is registered: either this thread sees that the engine
			// closes, or the closing engine sees the shell.
			if (isClosedTo(shell)) {
				LockException failure = shutDown(key);
				shell.post(new KeyEvent.Closing(failure));
				pending.fail(failure);
				throw failure;
			}
			List<Runnable> actions = shell.enter(pending);
			if (actions != null) {
				this.observer.entered();
				KeyShell.runAll(actions);
				if (isClosedTo(shell)) {
					// close() may have read the shells before this acquisition entered.
					shell.post(new KeyEvent.Closing(shutDown(key)));
				}
				return shell;
			}
		}
	}

	/**
	 * Cancels an acquisition, unless its outcome is decided.
	 * @param pending the acquisition
	 */
	public void cancel(PendingAcquisition pending) {
		post(pending.key(), pending.owner(), new KeyEvent.Cancelled(pending.owner()));
	}

	/**
	 * Fails an acquisition that is part of a deadlock, unless its outcome is decided.
	 * @param pending the acquisition
	 * @param failure the failure
	 */
	public void fail(PendingAcquisition pending, LockException failure) {
		pending.deadlocked(failure);
		cancel(pending);
	}

	/**
	 * Returns the lease of the holder of a lock in this instance.
	 * @param key the full name of the lock
	 * @param owner the owner token of a fair or shared lock
	 * @return the lease, or {@code null}
	 */
	public @Nullable LocalLease lease(String key, String owner) {
		KeyShell shell = find(key, owner);
		return (shell != null) ? shell.lease() : null;
	}

	private KeyShell create(Map<String, KeyShell> queues, String id, String key, LockMode mode, boolean fair) {
		KeyShell known = queues.get(id);
		return (known != null) ? known : queues.computeIfAbsent(id, (absent) -> {
			KeyShell created = new KeyShell(id, key, mode, fair, this.parts, this.renewals, this.orphans,
					this.subscription, (retired) -> {
						queues.remove(id, retired);
						this.parts.timer().remove(retired);
					});
			this.parts.timer().add(created);
			return created;
		});
	}

	private boolean isClosedTo(KeyShell shell) {
		return this.closed && !shell.isDowngrade();
	}

	/**
	 * Returns whether one command may acquire all of several locks. The store must
	 * support it, and no lock may have a holder or a waiter in this instance.
	 * @param keys the full names of the locks
	 * @return whether the command may be sent
	 */
	public boolean canAcquireAll(List<String> keys) {
		return keys.size() > 1 && keys.stream().noneMatch(this.byKey::containsKey)
				&& this.parts.store().canAcquireAll(keys);
	}

	// From the store

	@Override
	public void granted(Grant grant) {
		this.parts.store().dispatch(() -> {
			KeyShell shell = find(grant.key(), grant.owner());
			if (shell != null) {
				shell.post(new KeyEvent.Granted(grant));
			}
			else {
				this.orphans.abandoning(grant.key(), grant.owner(), Effect.Abandon.UNKNOWN_LEASE, false, null).run();
			}
		});
	}

	@Override
	public void recalled(Recall recall) {
		this.parts.store().dispatch(() -> post(recall.key(), recall.holder(), new KeyEvent.Recalled(recall)));
	}

	@Override
	public void busy(String key, String owner) {
		this.parts.store().dispatch(() -> post(key, owner, new KeyEvent.Busy(owner)));
	}

	private void post(String key, String owner, KeyEvent event) {
		KeyShell shell = find(key, owner);
		if (shell != null) {
			shell.post(event);
		}
	}

	private @Nullable KeyShell find(String key, String owner) {
		KeyShell own = this.byOwner.get(owner);
		return (own != null) ? own : this.byKey.get(key);
	}

	@Override
	public void received(String message) {
		this.parts.store().dispatch(() -> this.observer.received(message));
	}

	/**
	 * Starts the subscription to messages of the store, unless it has started.
	 * @return completes when messages arrive, or the attempt has failed
	 */
	public CompletionStage<Boolean> subscribe() {
		return this.subscription.start();
	}

	@Override
	public void interrupted() {
		this.subscription.interrupted();
	}

	@Override
	public void resubscribed() {
		this.subscription.restored();
	}

	private void poll() {
		all().forEach((shell) -> this.parts.store().dispatch(() -> shell.post(new KeyEvent.Resubscribed())));
	}

	// Shutdown

	/**
	 * Refuses new waiters and fails all waiters except those of a downgrade.
	 */
	public void close() {
		this.closed = true;
		this.parts.store().stopOpening();
		all().filter(this::isClosedTo).forEach((shell) -> shell.post(new KeyEvent.Closing(shutDown(shell.key()))));
	}

	/**
	 * Fails the waiters and releases that still wait for an answer of the store.
	 */
	public void giveUp() {
		all().forEach((shell) -> shell.post(new KeyEvent.Closed(new LockStoreException(
				"The store did not answer for lock '%s' before the lock engine shut down".formatted(shell.key()),
				null))));
	}

	/**
	 * Records that a lock moves from one shell to another, until {@link #exchanged}.
	 */
	public void exchanging() {
		this.exchanges.incrementAndGet();
	}

	public void exchanged() {
		this.exchanges.decrementAndGet();
	}

	/**
	 * Returns whether no lock is held, requested or about to be released. The reads
	 * follow the way of an owner token, from a shell to another shell and to the orphans,
	 * so that none is missed.
	 * @return whether nothing is left to do
	 */
	public boolean isIdle() {
		return isEmpty() && this.exchanges.get() == 0 && isEmpty() && this.orphans.isEmpty();
	}

	/**
	 * Returns whether no lock is held or requested.
	 * @return whether there is no shell
	 */
	// Reads no count, which is incremented only after the shell is present.
	public boolean isEmpty() {
		return all().findAny().isEmpty();
	}

	private Stream<KeyShell> all() {
		return Stream.concat(this.byKey.values().stream(), this.byOwner.values().stream());
	}

	public Stream<PendingAcquisition> waiters() {
		return all().flatMap((shell) -> shell.waiters().stream());
	}

	/**
	 * Returns the locks that this instance retains without a holder.
	 * @return the locks, in no order
	 */
	public List<RetainedLock> retained() {
		long now = now();
		List<RetainedLock> retained = new ArrayList<>();
		this.byKey.forEach((key, shell) -> {
			Retention found = shell.retained(now);
			if (found != null) {
				retained.add(new RetainedLock(key, found.owner(), found.remaining()));
			}
		});
		return retained;
	}

	public boolean isRetained(String key) {
		KeyShell shell = this.byKey.get(key);
		return shell != null && shell.retained(now()) != null;
	}

	/**
	 * Ends the leases of this instance under an owner token that an operator has released
	 * by force.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	public void forced(String key, String owner) {
		post(key, owner, new KeyEvent.Forced(owner));
	}

	public int size() {
		return (int) all().count();
	}

	public long now() {
		return this.parts.now();
	}

	public StoreAccess store() {
		return this.parts.store();
	}

	private static LockException shutDown(String key) {
		return new LockException("Lock '%s' was not acquired: the lock engine is shut down".formatted(key));
	}

}
