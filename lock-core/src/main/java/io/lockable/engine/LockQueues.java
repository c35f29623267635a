package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.Bid.Ask;
import io.lockable.engine.Hold.Transfer;
import io.lockable.store.Acquisition;
import io.lockable.store.Attempt;
import io.lockable.store.Extension;
import io.lockable.store.Grant;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@linkplain LockQueue queues} of an instance, and their way to the store.
 *
 * <p>
 * Methods that send a command block if the store does. Threads that must not block (the
 * timer's, the store's client's, an asynchronous caller's) come in through
 * {@link #dispatch}.
 */
final class LockQueues implements Inbox {

	private static final Logger log = LoggerFactory.getLogger(LockQueues.class);

	/**
	 * How long to try to give back what a stray message has granted.
	 */
	static final Duration UNKNOWN_LEASE = Duration.ofMinutes(1);

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private final LockStore store;

	private final @Nullable QueueingLockStore queueing;

	private final boolean needsConfirmation;

	private final LockClock clock;

	private final boolean clockMoved;

	private final Duration commandTimeout;

	private final Workers workers;

	private final Listeners listeners;

	private final LockObserver observer;

	private final Watch watch;

	private final LeaseKeeper keeper;

	private final Abandonments abandonments;

	private final Map<String, LockQueue> queues = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable CompletableFuture<Boolean>> subscription = new AtomicReference<>();

	private volatile boolean subscribed;

	private volatile boolean closed;

	LockQueues(LockStore store, LongSupplier clock, Duration commandTimeout, Workers workers, Listeners listeners,
			LockObserver observer) {
		this.store = store;
		this.queueing = (store instanceof QueueingLockStore capable) ? capable : null;
		this.needsConfirmation = this.queueing != null && this.queueing.needsConfirmation();
		this.clockMoved = clock instanceof LockClock;
		this.clock = (clock instanceof LockClock moved) ? new SettlingClock(moved, workers)
				: new SystemClock(clock, workers.timer());
		this.commandTimeout = commandTimeout;
		this.workers = workers;
		this.listeners = listeners;
		this.observer = observer;
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
		boolean fair = waiter.options().fair() && this.queueing != null;
		// Where the server alone knows the order, each waiter has a queue of its own.
		String id = (fair || claim.isShared()) ? '\0' + waiter.owner() : key;
		while (true) {
			// Whoever goes on with a share of what it has does not wait, and frees
			// nothing.
			boolean refused = this.closed && claim.predecessor() == null;
			if (refused) {
				LockException failure = shutDown(key);
				waiter.fail(failure);
				throw failure;
			}
			LockQueue queue = this.queues.computeIfAbsent(id, (absent) -> {
				LockQueue created = new LockQueue(id, key, claim, fair, this);
				this.watch.add(created);
				return created;
			});
			if (queue.enter(waiter)) {
				if (this.closed) {
					// It may have come after close() looked at all queues.
					queue.failAll(shutDown(key));
				}
				return queue;
			}
		}
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
		return this.clockMoved;
	}

	Duration commandTimeout() {
		return this.commandTimeout;
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

	boolean canTransfer() {
		return this.queueing != null;
	}

	boolean needsConfirmation() {
		return this.needsConfirmation;
	}

	CompletionStage<Acquisition> send(String key, Ask ask, Claim claim, boolean fair) {
		if (claim.isShared()) {
			return call(() -> share(key, ask, claim));
		}
		QueueingLockStore queueing = this.queueing;
		return call(() -> (queueing != null && ask.queue()) ? queueing.enqueue(key, ask.owner(), ask.lease(), fair)
				: this.store.acquire(key, ask.owner(), ask.lease()));
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

	void acquireAll(List<Attempt> attempts) {
		try {
			this.store.acquireAll(attempts);
		}
		catch (RuntimeException ex) {
			attempts.forEach((attempt) -> attempt.result().completeExceptionally(ex));
		}
	}

	private CompletionStage<Acquisition> share(String key, Ask ask, Claim claim) {
		if (!(this.store instanceof SharingLockStore sharing)) {
			throw new IllegalStateException("The store cannot share locks");
		}
		String predecessor = claim.predecessor();
		if (predecessor != null) {
			return sharing.downgrade(key, predecessor, ask.owner(), ask.lease());
		}
		return ask.queue() ? sharing.enqueueShared(key, ask.owner(), ask.lease(), claim.permits())
				: sharing.acquireShared(key, ask.owner(), ask.lease(), claim.permits());
	}

	/**
	 * Sends a transfer. The holder who leaves need not wait for it, so it is sent from
	 * another thread if the store blocks; and its answer may lead to the next transfer,
	 * so one that is there at once is handled on another thread too: else the first
	 * thread would go on for all who follow it.
	 * @param key the full name of the lock
	 * @param transfer what to send
	 * @param answered told of the answer, or of the failure
	 */
	void transfer(String key, Transfer transfer, BiConsumer<@Nullable Acquisition, @Nullable Throwable> answered) {
		dispatch(() -> {
			CompletableFuture<Acquisition> answer = call(
					() -> queueing().transfer(key, transfer.owner(), transfer.successor(), transfer.lease()))
				.toCompletableFuture();
			Executor executor = answer.isDone() ? this.workers::execute : Runnable::run;
			CompletionStage<Acquisition> stage = answer;
			stage.whenComplete((acquisition, failure) -> executor.execute(() -> answered.accept(acquisition, failure)));
		});
	}

	CompletionStage<QueueingLockStore.Yielded> yieldTurn(String key, String owner, Ask next) {
		return call(() -> queueing().yieldTurn(key, owner, next.owner(), next.lease()));
	}

	void release(String key, String owner, Duration lease, CompletableFuture<Boolean> released) {
		this.abandonments.release(key, owner, lease, () -> call(() -> this.store.release(key, owner)))
			.whenComplete((ours, failure) -> {
				if (failure != null) {
					released.completeExceptionally(storeFailure(key, failure));
				}
				else {
					released.complete(ours);
				}
			});
	}

	void abandon(String key, String owner, Duration lease) {
		this.abandonments.abandon(key, owner, lease);
	}

	void extend(Extension extension) {
		extension.completeWith(call(() -> this.store.extend(extension.key(), extension.owner(), extension.lease())));
	}

	/**
	 * Makes a lease shorter. It is enough that the store does so if it can: a failure is
	 * nobody's.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long from now
	 * @param told completed in any case
	 */
	void shorten(String key, String owner, Duration lease, CompletableFuture<Boolean> told) {
		dispatch(() -> call(() -> this.store.shorten(key, owner, lease))
			.whenComplete((shortened, failure) -> told.complete(failure == null && shortened)));
	}

	void extendAll(List<Extension> extensions) {
		try {
			this.store.extendAll(extensions);
		}
		catch (RuntimeException ex) {
			extensions.forEach((extension) -> extension.result().completeExceptionally(ex));
		}
	}

	/**
	 * Starts to listen for grants, and lets a queue look again once that is so.
	 * @param waiting the queue that waits
	 */
	void subscribe(LockQueue waiting) {
		QueueingLockStore queueing = this.queueing;
		if (queueing == null) {
			return;
		}
		CompletableFuture<Boolean> started = new CompletableFuture<>();
		CompletableFuture<Boolean> earlier = this.subscription.compareAndExchange(null, started);
		CompletionStage<Boolean> subscription = (earlier != null) ? earlier : started;
		subscription.thenRun(() -> dispatch(waiting::look));
		if (earlier == null) {
			LockQueues.<Object>call(() -> queueing.subscribe(this).thenApply((ok) -> true))
				.whenComplete((ok, failure) -> {
					if (failure != null) {
						log.debug("Cannot listen for grants yet; waiters look again from time to time", failure);
						this.subscription.set(null);
					}
					else {
						this.subscribed = true;
						started.complete(true);
					}
				});
		}
	}

	// For threads

	/**
	 * Runs a step that may send a command from a thread that must not block.
	 * @param step the step
	 */
	void dispatch(Runnable step) {
		if (this.store.isBlocking()) {
			this.workers.execute(step);
		}
		else {
			step.run();
		}
	}

	/**
	 * Runs renewals, which never wait behind other commands.
	 * @param renewal the step
	 */
	void dispatchRenewal(Runnable renewal) {
		if (this.store.isBlocking()) {
			this.workers.renew(renewal);
		}
		else {
			renewal.run();
		}
	}

	/**
	 * Waits for an answer of the store, for as long as a command may take. An interrupt
	 * is kept for later.
	 * @param <T> the answer's type
	 * @param stage the answer
	 * @param key the lock it is about
	 * @return the answer
	 */
	<T> T await(CompletionStage<T> stage, String key) {
		CompletableFuture<T> future = stage.toCompletableFuture();
		long deadline = now() + this.commandTimeout.toNanos();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return future.get(Math.max(0, deadline - now()), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			throw storeFailure(key, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Waits for an answer that is overdue at some time on the clock. If that is not moved
	 * for as long in real time as a command may take, it is waited for as for any other
	 * time on it, and follows.
	 * @param <T> the answer's type
	 * @param answer the answer, or the failure that there is none
	 * @return the answer
	 * @throws InterruptedException if the thread was interrupted
	 * @throws ExecutionException if the answer is a failure
	 */
	<T extends @Nullable Object> T awaitAnswer(CompletableFuture<T> answer)
			throws InterruptedException, ExecutionException {
		if (!this.clockMoved) {
			return answer.get();
		}
		while (true) {
			try {
				return answer.get(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (TimeoutException ex) {
				moveOn(answer);
			}
		}
	}

	private void moveOn(CompletableFuture<?> answer) throws InterruptedException, ExecutionException {
		try {
			this.clock.await(answer, now() + this.commandTimeout.toNanos());
		}
		catch (TimeoutException ex) {
			log.debug("The store has not answered in time; what is overdue on the clock is done", ex);
		}
	}

	void pause() {
		boolean interrupted = Thread.interrupted();
		LockSupport.parkNanos(PAUSE);
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isLocked(String key) {
		return await(call(() -> this.store.isLocked(key)), key);
	}

	StoredLock look(String key) {
		if (!(this.store instanceof InspectableLockStore inspectable)) {
			throw new UnsupportedOperationException(
					"%s cannot tell who holds a lock: use an InspectableLockStore to look at locks and to release them by force"
						.formatted(this.store.getClass().getSimpleName()));
		}
		return await(call(() -> inspectable.look(key)), key);
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
				answers.add(await(answer, key));
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
			log.warn("Lock '{}' was to be released by force for {} holders, and may be or not for some of them", key,
					owners.size(), failure);
		}
		return answers;
	}

	private CompletionStage<Boolean> forceRelease(String key, String owner) {
		CompletionStage<Boolean> answer = call(() -> this.store.release(key, owner));
		// One that is there at once is the caller's, who may block.
		Executor executor = answer.toCompletableFuture().isDone() ? Runnable::run : this::dispatch;
		return answer.thenApply((released) -> {
			if (released) {
				executor.execute(() -> forced(key, owner));
			}
			return released;
		});
	}

	private void forced(String key, String owner) {
		for (String id : List.of(key, '\0' + owner)) {
			LockQueue queue = this.queues.get(id);
			if (queue != null) {
				queue.forced(owner);
			}
		}
	}

	boolean isShared(String key) {
		return await(call(() -> ((SharingLockStore) this.store).isShared(key)), key);
	}

	LockStoreException storeFailure(String key, Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		if (cause instanceof TimeoutException) {
			return new LockStoreException(
					"No answer from the store for lock '%s' within %s".formatted(key, this.commandTimeout), cause);
		}
		if (cause instanceof LockStoreException told && String.valueOf(told.getMessage()).contains("'" + key + "'")) {
			return new LockStoreException(String.valueOf(told.getMessage()), told, told.isRetryable());
		}
		boolean retryable = cause instanceof LockStoreException known && known.isRetryable();
		return new LockStoreException("The store failed for lock '%s': %s".formatted(key, cause.getMessage()), cause,
				retryable);
	}

	LockObservation observe(String key, LockOptions options) {
		return this.observer.acquiring(key, options);
	}

	Listeners listeners() {
		return this.listeners;
	}

	void tellLost(LockLost event, CompletableFuture<LockLost> lost) {
		this.workers.callBack(() -> lost.complete(event));
		this.listeners.lost(event);
	}

	// From the store

	@Override
	public void granted(Grant grant) {
		dispatch(() -> {
			LockQueue queue = this.queues.get('\0' + grant.owner());
			if (queue == null) {
				queue = this.queues.get(grant.key());
			}
			if (queue != null) {
				queue.granted(grant);
			}
			else {
				abandon(grant.key(), grant.owner(), UNKNOWN_LEASE);
			}
		});
	}

	@Override
	public void resubscribed() {
		this.queues.values().forEach((queue) -> dispatch(queue::look));
	}

	// Shutdown

	/**
	 * Refuses newcomers and fails all waiters.
	 */
	void close() {
		this.closed = true;
		this.queues.values().forEach((queue) -> queue.failAll(shutDown(queue.key())));
	}

	/**
	 * Returns whether nobody holds or waits, and the store knows it.
	 * @return whether nothing is left to do
	 */
	boolean isIdle() {
		return this.queues.isEmpty() && this.abandonments.isEmpty();
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

	private CompletionStage<Boolean> forget(String key, String owner) {
		QueueingLockStore queueing = this.queueing;
		return call(() -> (queueing != null) ? queueing.withdraw(key, owner) : this.store.release(key, owner));
	}

	private static LockException shutDown(String key) {
		return new LockException("Lock '%s' was not acquired: the lock engine is shut down".formatted(key));
	}

	private QueueingLockStore queueing() {
		if (this.queueing == null) {
			throw new IllegalStateException("The store has no queues");
		}
		return this.queueing;
	}

	private static <T extends @Nullable Object> CompletionStage<T> call(Supplier<CompletionStage<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
