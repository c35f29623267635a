package io.lockable.engine.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.Internal;
import io.lockable.LockException;
import io.lockable.LockStoreException;
import io.lockable.engine.command.LockMode;
import io.lockable.engine.command.StoreAccess;
import io.lockable.engine.queue.Effect;
import io.lockable.engine.queue.KeyEvent;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.Timer;
import io.lockable.store.Grant;
import io.lockable.store.Inbox;
import io.lockable.store.LockStore;
import io.lockable.store.Recall;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain LocalQueue queues} of an instance, one for each key with a holder or a
 * waiter in this instance. The store delivers its messages here.
 *
 * <p>
 * A fair or shared acquisition has its own queue under its owner token, because only the
 * server knows the order.
 */
@Internal
public final class LocalQueues implements Inbox {

	private final EngineParts parts;

	private final RenewalScheduler renewals;

	private final OrphanCleanup orphans;

	private final GrantSubscription subscription;

	private final Map<String, LocalQueue> byKey = new ConcurrentHashMap<>();

	private final Map<String, LocalQueue> byOwner = new ConcurrentHashMap<>();

	private final AtomicInteger exchanges = new AtomicInteger();

	private volatile boolean closed;

	public LocalQueues(LockStore store, EngineRuntime runtime, Duration commandTimeout, Duration recallTimeout,
			Notifier notifier) {
		Timer timer = new Timer(runtime);
		StoreAccess access = new StoreAccess(store, runtime, commandTimeout, recallTimeout, timer);
		this.parts = new EngineParts(access, runtime, timer, notifier);
		this.renewals = new RenewalScheduler(this.parts);
		this.orphans = new OrphanCleanup(this.parts);
		this.subscription = new GrantSubscription(access, this);
		this.parts.timer().add(this.renewals);
		this.parts.timer().add(this.orphans);
	}

	public EngineParts parts() {
		return this.parts;
	}

	public RenewalScheduler renewals() {
		return this.renewals;
	}

	public OrphanCleanup orphans() {
		return this.orphans;
	}

	public boolean isSubscribed() {
		return this.subscription.isActive();
	}

	/**
	 * Queues a waiter.
	 * @param key the full name of the lock
	 * @param waiter the waiter
	 * @return its queue
	 */
	public LocalQueue enter(String key, Waiter waiter) {
		LockMode mode = waiter.mode();
		boolean fair = waiter.options().fair() && this.parts.store().isQueueing();
		boolean own = fair || mode.isShared();
		while (true) {
			LocalQueue queue = own ? create(this.byOwner, waiter.owner(), key, mode, fair)
					: create(this.byKey, key, key, mode, false);
			// After the queue is registered: either this thread sees that the engine
			// closes, or the closing engine sees the queue.
			if (isClosedTo(queue)) {
				LockException failure = shutDown(key);
				queue.post(new KeyEvent.Closing(failure));
				waiter.fail(failure);
				throw failure;
			}
			if (queue.enter(waiter)) {
				if (isClosedTo(queue)) {
					// close() may have read the queues before this waiter entered.
					queue.post(new KeyEvent.Closing(shutDown(key)));
				}
				return queue;
			}
		}
	}

	private LocalQueue create(Map<String, LocalQueue> queues, String id, String key, LockMode mode, boolean fair) {
		LocalQueue known = queues.get(id);
		return (known != null) ? known : queues.computeIfAbsent(id, (absent) -> {
			LocalQueue created = new LocalQueue(id, key, mode, fair, this.parts, this.renewals, this.orphans,
					this.subscription, (retired) -> {
						queues.remove(id, retired);
						this.parts.timer().remove(retired);
					});
			this.parts.timer().add(created);
			return created;
		});
	}

	private boolean isClosedTo(LocalQueue queue) {
		return this.closed && !queue.isDowngrade();
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
			LocalQueue queue = find(grant.key(), grant.owner());
			if (queue != null) {
				queue.post(new KeyEvent.Granted(grant));
			}
			else {
				this.orphans.abandoning(grant.key(), grant.owner(), Effect.Abandon.UNKNOWN_LEASE, false, null).run();
			}
		});
	}

	@Override
	public void recalled(Recall recall) {
		post(recall.key(), recall.holder(), new KeyEvent.Recalled(recall));
	}

	@Override
	public void busy(String key, String owner) {
		post(key, owner, new KeyEvent.Busy(owner));
	}

	private void post(String key, String owner, KeyEvent event) {
		LocalQueue queue = find(key, owner);
		if (queue != null) {
			this.parts.store().dispatch(() -> queue.post(event));
		}
	}

	private @Nullable LocalQueue find(String key, String owner) {
		LocalQueue own = this.byOwner.get(owner);
		return (own != null) ? own : this.byKey.get(key);
	}

	@Override
	public void interrupted() {
		this.subscription.interrupted();
	}

	@Override
	public void resubscribed() {
		this.subscription.restored();
		all().forEach((queue) -> this.parts.store().dispatch(() -> queue.post(new KeyEvent.Resubscribed())));
	}

	// Shutdown

	/**
	 * Refuses new waiters and fails all waiters except those of a downgrade.
	 */
	public void close() {
		this.closed = true;
		this.parts.store().stopOpening();
		all().filter(this::isClosedTo).forEach((queue) -> queue.post(new KeyEvent.Closing(shutDown(queue.key()))));
	}

	/**
	 * Fails the waiters and releases that still wait for an answer of the store.
	 */
	public void giveUp() {
		all().forEach((queue) -> queue.post(new KeyEvent.Closed(new LockStoreException(
				"The store did not answer for lock '%s' before the lock engine shut down".formatted(queue.key()),
				null))));
	}

	/**
	 * Records that a lock moves from one queue to another, until {@link #exchanged}.
	 */
	public void exchanging() {
		this.exchanges.incrementAndGet();
	}

	public void exchanged() {
		this.exchanges.decrementAndGet();
	}

	/**
	 * Returns whether no lock is held, requested or about to be released. The reads
	 * follow the way of an owner token, from a queue to another queue and to the orphans,
	 * so that none is missed.
	 * @return whether nothing is left to do
	 */
	public boolean isIdle() {
		return hasNoQueue() && this.exchanges.get() == 0 && hasNoQueue() && this.orphans.isEmpty();
	}

	// isEmpty() reads a count that is incremented only after the queue is present.
	private boolean hasNoQueue() {
		return all().findAny().isEmpty();
	}

	private Stream<LocalQueue> all() {
		return Stream.concat(this.byKey.values().stream(), this.byOwner.values().stream());
	}

	public Stream<Waiter> waiters() {
		return all().flatMap((queue) -> queue.waiters().stream());
	}

	/**
	 * Returns the locks that this instance retains without a holder.
	 * @return the locks by their keys
	 */
	public Map<String, LocalQueue.Retained> retained() {
		long now = now();
		Map<String, LocalQueue.Retained> retained = new HashMap<>();
		this.byKey.forEach((key, queue) -> {
			LocalQueue.Retained found = queue.retained(now);
			if (found != null) {
				retained.put(key, found);
			}
		});
		return retained;
	}

	public boolean isRetained(String key) {
		LocalQueue queue = this.byKey.get(key);
		return queue != null && queue.retained(now()) != null;
	}

	/**
	 * Ends the leases of this instance under an owner token that an operator has released
	 * by force.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	public void forced(String key, String owner) {
		LocalQueue queue = find(key, owner);
		if (queue != null) {
			queue.post(new KeyEvent.Forced(owner));
		}
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
