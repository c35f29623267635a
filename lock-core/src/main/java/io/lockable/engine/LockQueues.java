package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.LockException;
import io.lockable.LockStoreException;
import io.lockable.store.Grant;
import io.lockable.store.Inbox;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@linkplain LockQueue queues} of an instance: one for each key that somebody here
 * holds or waits for, and what they share. What the store pushes comes in here.
 */
final class LockQueues implements Inbox {

	private static final Logger log = LoggerFactory.getLogger(LockQueues.class);

	/**
	 * How long to try to give back what a stray message has granted.
	 */
	static final Duration UNKNOWN_LEASE = Duration.ofMinutes(1);

	private final StoreAccess store;

	private final LockClock clock;

	private final Workers workers;

	private final Notifier notifier;

	private final Watch watch;

	private final LeaseKeeper keeper;

	private final Abandonments abandonments;

	private final Map<String, LockQueue> queues = new ConcurrentHashMap<>();

	private final AtomicInteger underWay = new AtomicInteger();

	private final AtomicReference<@Nullable CompletableFuture<Boolean>> subscription = new AtomicReference<>();

	private volatile boolean subscribed;

	private volatile boolean closed;

	LockQueues(LockStore store, LongSupplier clock, Duration commandTimeout, Workers workers, Notifier notifier) {
		this.clock = (clock instanceof LockClock moved) ? new SettlingClock(moved, workers)
				: new SystemClock(clock, workers.timer());
		this.store = new StoreAccess(store, this.clock, commandTimeout, workers);
		this.workers = workers;
		this.notifier = notifier;
		this.watch = new Watch(this.clock);
		this.keeper = new LeaseKeeper(this);
		this.abandonments = new Abandonments(this::forget, this);
		this.watch.add(this.keeper);
		this.watch.add(this.abandonments);
	}

	// For acquirers

	/**
	 * Queues a waiter.
	 * @param key the full name of the lock
	 * @param waiter the waiter
	 * @return where it waits
	 */
	LockQueue enter(String key, Waiter waiter) {
		Claim claim = waiter.claim();
		boolean fair = waiter.options().fair() && this.store.isQueueing();
		// Where the server alone knows the order, each waiter has a queue of its own.
		String id = (fair || claim.isShared()) ? '\0' + waiter.owner() : key;
		while (true) {
			LockQueue queue = this.queues.computeIfAbsent(id, (absent) -> {
				LockQueue created = new LockQueue(id, key, claim, fair, this);
				this.watch.add(created);
				return created;
			});
			// Once the queue is there: either this sees that the engine closes, or the
			// engine that closes sees the queue.
			if (isClosedTo(queue)) {
				LockException failure = shutDown(key);
				queue.failAll(failure);
				waiter.fail(failure);
				throw failure;
			}
			if (queue.enter(waiter)) {
				if (isClosedTo(queue)) {
					// It may have come after close() looked at all queues.
					queue.failAll(shutDown(key));
				}
				return queue;
			}
		}
	}

	private boolean isClosedTo(LockQueue queue) {
		return this.closed && !queue.isDowngrade();
	}

	void remove(LockQueue queue) {
		this.queues.remove(queue.id(), queue);
		this.watch.remove(queue);
	}

	// For queues

	long now() {
		return this.clock.getAsLong();
	}

	LockClock clock() {
		return this.clock;
	}

	/**
	 * Returns whether the time is that of a clock which somebody else moves.
	 * @return whether it may stand still while real time goes on
	 */
	boolean isClockMoved() {
		return this.clock instanceof SettlingClock;
	}

	StoreAccess store() {
		return this.store;
	}

	Watch watch() {
		return this.watch;
	}

	LeaseKeeper keeper() {
		return this.keeper;
	}

	boolean isSubscribed() {
		return this.subscribed;
	}

	/**
	 * Returns whether one command may get all of some locks: the store has it, and nobody
	 * here holds any or waits for one.
	 * @param keys the full names of the locks
	 * @return whether to try
	 */
	boolean canAcquireAll(List<String> keys) {
		return keys.size() > 1 && keys.stream().noneMatch(this.queues::containsKey) && this.store.canAcquireAll(keys);
	}

	/**
	 * Gives back what a queue held, or keeps it for nobody. That queue may be gone when
	 * the result is run.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @param released told whether the lock was still ours
	 * @return sends the command
	 */
	Runnable givingBack(String key, String owner, Duration lease, @Nullable Long keptUntil,
			CompletableFuture<Boolean> released) {
		return releasing(key, owner, lease, keptUntil, released, () -> giveBack(key, owner, keptUntil));
	}

	private CompletionStage<Boolean> giveBack(String key, String owner, @Nullable Long keptUntil) {
		Duration rest = Abandonments.rest(keptUntil, now());
		return (rest != null) ? this.store.keep(key, owner, rest) : this.store.release(key, owner);
	}

	private CompletionStage<Boolean> forget(String key, String owner, @Nullable Long keptUntil) {
		Duration rest = Abandonments.rest(keptUntil, now());
		return (rest != null) ? this.store.keep(key, owner, rest) : this.store.forget(key, owner);
	}

	/**
	 * Releases what a queue held. That queue may be gone when the result is run.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @param released told whether the lock was still ours
	 * @param release sends the command
	 * @return sends it
	 */
	Runnable releasing(String key, String owner, Duration lease, CompletableFuture<Boolean> released,
			Supplier<CompletionStage<Boolean>> release) {
		return releasing(key, owner, lease, null, released, release);
	}

	private Runnable releasing(String key, String owner, Duration lease, @Nullable Long keptUntil,
			CompletableFuture<Boolean> released, Supplier<CompletionStage<Boolean>> release) {
		Supplier<CompletionStage<Boolean>> noted = this.abandonments.releasing(key, owner, lease, keptUntil, release);
		return () -> noted.get().whenComplete((ours, failure) -> {
			if (failure != null) {
				released.completeExceptionally(this.store.storeFailure(key, failure));
			}
			else {
				if (!ours) {
					// It may have ended by itself, which serves nobody who waits
					abandoning(key, owner, lease).run();
				}
				released.complete(ours);
			}
		});
	}

	/**
	 * Gives up an owner token. The queue that used it may be gone when the result is run.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @return tells the server
	 */
	Runnable abandoning(String key, String owner, Duration lease) {
		return abandoning(key, owner, lease, false, null);
	}

	/**
	 * Gives up an owner token as {@link #abandoning(String, String, Duration)} does.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @param mayHold whether it may hold the lock, as a command failed
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @return tells the server
	 */
	Runnable abandoning(String key, String owner, Duration lease, boolean mayHold, @Nullable Long keptUntil) {
		return this.abandonments.abandoning(key, owner, lease, mayHold, keptUntil);
	}

	/**
	 * Returns whether something failed may have left the lock of a key to an owner token
	 * that is given up.
	 * @param key the full name of the lock
	 * @return completes when that is given back, or with a failure; {@code null} if there
	 * is nothing
	 */
	@Nullable CompletionStage<Boolean> leftovers(String key) {
		return this.abandonments.leftovers(key);
	}

	/**
	 * Starts to listen for grants, and lets a queue look again once that is so.
	 * @param waiting the queue that waits
	 */
	void subscribe(LockQueue waiting) {
		if (!this.store.isQueueing()) {
			return;
		}
		CompletableFuture<Boolean> started = new CompletableFuture<>();
		CompletableFuture<Boolean> earlier = this.subscription.compareAndExchange(null, started);
		CompletionStage<Boolean> subscription = (earlier != null) ? earlier : started;
		subscription.thenRun(() -> this.store.dispatch(waiting::look));
		if (earlier == null) {
			this.store.subscribe(this).whenComplete((ok, failure) -> {
				if (failure != null) {
					log.debug("Failed to subscribe to grants; waiters poll until a subscription succeeds", failure);
					this.subscription.set(null);
				}
				else {
					this.subscribed = true;
					started.complete(true);
				}
			});
		}
	}

	/**
	 * Releases locks whoever holds them. What holds one here is told so as soon as the
	 * answer is there, also if that comes too late for the caller.
	 * @param key the full name of the lock
	 * @param owners the owner tokens
	 * @return for each whether it still held the lock, {@code null} if that is not known
	 * @throws LockStoreException if it is not known of any
	 */
	List<@Nullable Boolean> forceRelease(String key, List<String> owners) {
		List<CompletionStage<Boolean>> sent = owners.stream().map((owner) -> forceRelease(key, owner)).toList();
		List<@Nullable Boolean> answers = new ArrayList<>();
		LockStoreException failure = null;
		boolean known = sent.isEmpty();
		for (CompletionStage<Boolean> answer : sent) {
			try {
				answers.add(this.store.await(answer, key));
				known = true;
			}
			catch (LockStoreException ex) {
				answers.add(null);
				failure = ex;
			}
		}
		if (failure != null) {
			if (!known) {
				throw failure;
			}
			log.warn("The forced release of lock '{}' for {} holders failed: some of them may still hold the lock", key,
					owners.size(), failure);
		}
		return answers;
	}

	private CompletionStage<Boolean> forceRelease(String key, String owner) {
		CompletionStage<Boolean> answer = this.store.release(key, owner);
		// One that is there at once is the caller's, who may block.
		Executor executor = answer.toCompletableFuture().isDone() ? Runnable::run : this.store::dispatch;
		return answer.thenApply((released) -> {
			if (released) {
				executor.execute(() -> forced(key, owner));
			}
			return released;
		});
	}

	private void forced(String key, String owner) {
		this.keeper.leases()
			.stream()
			.filter((lease) -> lease.key().equals(key) && lease.owner().equals(owner))
			.forEach((lease) -> lease.queue().forced(lease));
	}

	Notifier notifier() {
		return this.notifier;
	}

	/**
	 * Completes a future that a user has dependent actions on.
	 * @param completion the completion
	 */
	void callBack(Runnable completion) {
		this.workers.callBack(completion);
	}

	// From the store

	@Override
	public void granted(Grant grant) {
		this.store.dispatch(() -> {
			LockQueue queue = this.queues.get('\0' + grant.owner());
			if (queue == null) {
				queue = this.queues.get(grant.key());
			}
			if (queue != null) {
				queue.granted(grant);
			}
			else {
				abandoning(grant.key(), grant.owner(), UNKNOWN_LEASE).run();
			}
		});
	}

	@Override
	public void resubscribed() {
		this.queues.values().forEach((queue) -> this.store.dispatch(queue::look));
	}

	// Shutdown

	/**
	 * Refuses newcomers and fails all waiters, but for those who go on with a share of
	 * what they have.
	 */
	void close() {
		this.closed = true;
		this.queues.values().stream().filter(this::isClosedTo).forEach((queue) -> queue.failAll(shutDown(queue.key())));
	}

	/**
	 * Fails also the waiters and releasers that still wait for an answer of the store,
	 * which will not come.
	 */
	void giveUp() {
		this.queues.values()
			.forEach((queue) -> queue.giveUp(new LockStoreException(
					"The store did not answer for lock '%s' before the lock engine shut down".formatted(queue.key()),
					null)));
	}

	/**
	 * Notes that a lock is on its way from one queue to another, until {@link #arrived}.
	 */
	void departing() {
		this.underWay.incrementAndGet();
	}

	void arrived() {
		this.underWay.decrementAndGet();
	}

	/**
	 * Returns whether nobody holds or waits, and the store knows it. In the order in
	 * which an owner token goes, from a queue to another one and to the abandonments: so
	 * none is missed.
	 * @return whether nothing is left to do
	 */
	boolean isIdle() {
		return hasNoQueue() && this.underWay.get() == 0 && hasNoQueue() && this.abandonments.isEmpty();
	}

	// Not isEmpty(), which goes by a count that is raised after a queue is there.
	private boolean hasNoQueue() {
		return !this.queues.values().iterator().hasNext();
	}

	/**
	 * Returns who waits in this instance.
	 * @return the calls, the longest wait first
	 */
	List<LockWaiting> waiting() {
		long now = now();
		return this.queues.values()
			.stream()
			.flatMap((queue) -> queue.waiting(now).stream())
			.sorted(Comparator.comparing(LockWaiting::waited).reversed())
			.toList();
	}

	int size() {
		return this.queues.size();
	}

	private static LockException shutDown(String key) {
		return new LockException("Lock '%s' was not acquired: the lock engine is shut down".formatted(key));
	}

}
