package io.lockable.engine;

import java.time.Duration;
import java.util.Collection;
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
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockable.DurationText;
import io.lockable.LockStoreException;
import io.lockable.engine.queue.Ask;
import io.lockable.engine.queue.Transfer;
import io.lockable.store.Acquisition;
import io.lockable.store.Attempt;
import io.lockable.store.Extension;
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
 * The way of an engine to its store: which command it sends for what, from which thread,
 * for how long it waits for the answer, and what a failure is called.
 *
 * <p>
 * Methods that send a command block if the store does. Threads that must not block (the
 * timer's, the store's client's, an asynchronous caller's) come in through
 * {@link #dispatch}.
 */
final class StoreAccess {

	private static final Logger log = LoggerFactory.getLogger(StoreAccess.class);

	private static final Pattern CREDENTIALS = Pattern.compile("//\\S*@");

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private final LockStore store;

	private final @Nullable QueueingLockStore queueing;

	private final boolean needsConfirmation;

	private final long lookInterval;

	private final LockClock clock;

	private final Duration commandTimeout;

	private final Workers workers;

	private final Map<Object, CircuitBreaker> breakers = new ConcurrentHashMap<>();

	private final CircuitBreaker alwaysClosed = CircuitBreaker.alwaysClosed();

	private final Duration connectTimeout;

	// By the clock of the engine, and by real time for the circuit breakers.
	private final FirstAnswer firstAnswer;

	private final FirstAnswer firstAnswerInRealTime;

	// Whether the calling thread must not block.
	private final ThreadLocal<Boolean> dispatching = ThreadLocal.withInitial(() -> false);

	StoreAccess(LockStore store, LockClock clock, Duration commandTimeout, Workers workers) {
		this.store = store;
		this.queueing = (store instanceof QueueingLockStore capable) ? capable : null;
		this.needsConfirmation = this.queueing != null && this.queueing.needsConfirmation();
		this.lookInterval = (this.queueing != null) ? this.queueing.lookInterval().toNanos() : 0;
		this.clock = clock;
		this.commandTimeout = commandTimeout;
		this.workers = workers;
		this.connectTimeout = store.connectTimeout();
		this.firstAnswer = new FirstAnswer(this.connectTimeout);
		this.firstAnswerInRealTime = new FirstAnswer(this.connectTimeout);
	}

	/**
	 * Returns where the store says that it is, to be added to a message.
	 */
	private String place() {
		String text = this.store.toString();
		boolean silent = text.startsWith(this.store.getClass().getName() + '@');
		return silent ? "" : " (" + CREDENTIALS.matcher(text).replaceAll("//***@") + ')';
	}

	// What it can do

	Duration commandTimeout() {
		return this.commandTimeout;
	}

	boolean isQueueing() {
		return this.queueing != null;
	}

	boolean needsConfirmation() {
		return this.needsConfirmation;
	}

	/**
	 * Returns how long a queued waiter may be silent.
	 * @return the time in nanoseconds
	 */
	long lookInterval() {
		return this.lookInterval;
	}

	// Commands

	CompletionStage<Acquisition> send(String key, Ask ask, LockMode claim, boolean fair) {
		if (claim.isShared()) {
			return call(key, () -> share(key, ask, claim));
		}
		QueueingLockStore queueing = this.queueing;
		return call(key, () -> (queueing != null && ask.queue()) ? queueing.enqueue(key, ask.owner(), ask.lease(), fair)
				: this.store.acquire(key, ask.owner(), ask.lease()));
	}

	boolean canAcquireAll(Collection<String> keys) {
		return this.store.canAcquireAll(keys);
	}

	void acquireAll(List<Attempt> attempts) {
		List<CompletableFuture<@Nullable Acquisition>> results = attempts.stream().map(Attempt::result).toList();
		together(attempts.get(0).key(), results, () -> this.store.acquireAll(attempts));
	}

	private CompletionStage<Acquisition> share(String key, Ask ask, LockMode claim) {
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
			CompletableFuture<Acquisition> answer = call(key,
					() -> queueing().transfer(key, transfer.owner(), transfer.successor(), transfer.lease()))
				.toCompletableFuture();
			Executor executor = answer.isDone() ? this.workers::execute : Runnable::run;
			CompletionStage<Acquisition> stage = answer;
			stage.whenComplete((acquisition, failure) -> executor.execute(() -> answered.accept(acquisition, failure)));
		});
	}

	CompletionStage<QueueingLockStore.Yielded> yieldTurn(String key, String owner, Ask next) {
		return call(key, () -> queueing().yieldTurn(key, owner, next.owner(), next.lease()));
	}

	CompletionStage<Boolean> release(String key, String owner) {
		return call(key, () -> this.store.release(key, owner));
	}

	/**
	 * Releases a lock, or keeps it locked for nobody.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @return whether the owner token had the lock
	 */
	CompletionStage<Boolean> giveBack(String key, String owner, @Nullable Long keptUntil) {
		Duration rest = rest(keptUntil);
		return (rest != null) ? keep(key, owner, rest) : release(key, owner);
	}

	/**
	 * Makes the server forget an owner token, whether it holds the lock or waits.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @return whether the owner token had the lock
	 */
	CompletionStage<Boolean> forget(String key, String owner, @Nullable Long keptUntil) {
		Duration rest = rest(keptUntil);
		if (rest != null) {
			return keep(key, owner, rest);
		}
		QueueingLockStore queueing = this.queueing;
		return call(key, () -> (queueing != null) ? queueing.withdraw(key, owner) : this.store.release(key, owner));
	}

	void extend(Extension extension) {
		extension.completeWith(
				call(extension.key(), () -> this.store.extend(extension.key(), extension.owner(), extension.lease())));
	}

	private @Nullable Duration rest(@Nullable Long keptUntil) {
		long left = (keptUntil != null) ? keptUntil - this.clock.getAsLong() : 0;
		return (left > 0) ? Duration.ofMillis((left + 999_999) / 1_000_000) : null;
	}

	private CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return call(key, () -> this.store.keep(key, owner, rest));
	}

	void extendAll(List<Extension> extensions) {
		Map<CircuitBreaker, List<Extension>> byServer = extensions.stream()
			.collect(Collectors.groupingBy((extension) -> breaker(extension.key())));
		byServer.values()
			.forEach((group) -> together(group.get(0).key(), group.stream().map(Extension::result).toList(),
					() -> this.store.extendAll(group)));
	}

	/**
	 * Sends what asks one server for several locks. It counts as one command, which the
	 * first answer ends.
	 */
	private <T extends @Nullable Object> void together(String key, List<CompletableFuture<T>> results,
			Runnable command) {
		CompletionStage<T> first = call(key, () -> {
			try {
				command.run();
			}
			catch (RuntimeException ex) {
				results.forEach((result) -> result.completeExceptionally(ex));
			}
			return results.get(0);
		});
		first.whenComplete((answer, failure) -> {
			if (failure instanceof NotSentException) {
				results.forEach((result) -> result.completeExceptionally(failure));
			}
		});
	}

	CompletionStage<Object> subscribe(Inbox inbox) {
		return guarded(() -> queueing().subscribe(inbox).thenApply((ok) -> true));
	}

	boolean isLocked(String key) {
		return await(call(key, () -> this.store.isLocked(key)), key);
	}

	StoredLock look(String key) {
		if (!(this.store instanceof InspectableLockStore inspectable)) {
			throw new UnsupportedOperationException(
					"%s cannot report holders: use an InspectableLockStore to inspect locks and to release them by force"
						.formatted(this.store.getClass().getSimpleName()));
		}
		return await(call(key, () -> inspectable.look(key)), key);
	}

	boolean isShared(String key) {
		return await(call(key, () -> ((SharingLockStore) this.store).isShared(key)), key);
	}

	// Threads

	/**
	 * Runs a step on a thread that must not block. The step itself needs no I/O, and is
	 * done when this returns; if the store blocks, commands that it sends are sent from
	 * other threads.
	 * @param step the step
	 */
	void dispatch(Runnable step) {
		if (!this.store.isBlocking() || this.dispatching.get()) {
			step.run();
			return;
		}
		this.dispatching.set(true);
		try {
			step.run();
		}
		finally {
			this.dispatching.remove();
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
		return await(stage, key, answerDeadline());
	}

	/**
	 * Returns until when to wait for what is sent now.
	 * @return the deadline, also for several answers together
	 */
	long answerDeadline() {
		return deadline(this.clock.getAsLong());
	}

	/**
	 * Returns when a command is overdue.
	 * @param sentAt when it is sent
	 * @return the deadline, which the first answer of the store may bring forward
	 */
	long deadline(long sentAt) {
		return this.firstAnswer.startOf(sentAt) + this.commandTimeout.toNanos();
	}

	/**
	 * Waits for an answer of the store. An interrupt is kept for later.
	 * @param <T> the answer's type
	 * @param stage the answer
	 * @param key the lock it is about
	 * @param deadline until when to wait
	 * @return the answer
	 */
	<T> T await(CompletionStage<T> stage, String key, long deadline) {
		CompletableFuture<T> future = stage.toCompletableFuture();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return future.get(Math.max(0, deadline - this.clock.getAsLong()), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			LockStoreException failure = storeFailure(key, ex);
			throw (failure instanceof NotSentException)
					? new LockStoreException(String.valueOf(failure.getMessage()), failure) : failure;
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
	<T extends @Nullable Object> T awaitDecision(CompletableFuture<T> answer)
			throws InterruptedException, ExecutionException {
		if (!(this.clock instanceof SettlingClock)) {
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
			this.clock.await(answer, this.clock.getAsLong() + this.commandTimeout.toNanos());
		}
		catch (TimeoutException ex) {
			log.debug("The store did not answer in time; the overdue tasks of the clock are done", ex);
		}
	}

	void pause() {
		boolean interrupted = Thread.interrupted();
		LockSupport.parkNanos(PAUSE);
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Pauses as {@link #pause()} does, unless it is too late.
	 * @param key the lock it is about
	 * @param deadline until when to wait
	 */
	void pause(String key, long deadline) {
		if (deadline - this.clock.getAsLong() <= 0) {
			throw storeFailure(key, new TimeoutException());
		}
		pause();
	}

	LockStoreException storeFailure(String key, Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		if (cause instanceof NotSentException) {
			return new NotSentException(key);
		}
		if (cause instanceof TimeoutException) {
			return noAnswer(key);
		}
		if (!(cause instanceof LockStoreException known)) {
			return failure(key, String.valueOf(cause.getMessage()), cause, false);
		}
		// Its own cause, so that each text stands once in a stack trace
		Throwable reason = (known.getCause() != null) ? known.getCause() : known;
		String message = String.valueOf(known.getMessage());
		return message.contains("'" + key + "'") ? new LockStoreException(message, reason, known.isRetryable())
				: failure(key, message, reason, known.isRetryable());
	}

	private LockStoreException failure(String key, String reason, Throwable cause, boolean retryable) {
		return new LockStoreException("The store failed for lock '%s'%s: %s".formatted(key, place(), reason), cause,
				retryable);
	}

	/**
	 * Returns the failure of a command that the store has not answered in time.
	 * @param key the lock it is about
	 * @return the failure
	 */
	LockStoreException noAnswer(String key) {
		Duration waited = this.firstAnswer.isThere() ? this.commandTimeout
				: this.commandTimeout.plus(this.connectTimeout);
		return new LockStoreException(
				"The store did not answer for lock '%s' within %s%s".formatted(key, DurationText.of(waited), place()),
				null);
	}

	private QueueingLockStore queueing() {
		if (this.queueing == null) {
			throw new IllegalStateException("The store has no queues");
		}
		return this.queueing;
	}

	/**
	 * Sends a command, unless the server that has the lock is silent.
	 */
	private <T extends @Nullable Object> CompletionStage<T> call(String key, Supplier<CompletionStage<T>> command) {
		if (!this.firstAnswer.isThere()) {
			this.firstAnswer.asked(this.clock.getAsLong());
		}
		CircuitBreaker breaker = breaker(key);
		long startedAt = System.nanoTime();
		if (!breaker.tryStart(startedAt)) {
			return CompletableFuture.failedFuture(new NotSentException(key));
		}
		CompletableFuture<T> answer = new CompletableFuture<>();
		if (this.dispatching.get()) {
			this.workers.execute(() -> {
				if (breaker.isOverdue(startedAt, System.nanoTime())) {
					breaker.dropped();
					answer.completeExceptionally(new NotSentException(key));
				}
				else {
					send(command, answer, breaker);
				}
			});
		}
		else {
			send(command, answer, breaker);
		}
		return answer;
	}

	private <T extends @Nullable Object> void send(Supplier<CompletionStage<T>> command, CompletableFuture<T> answer,
			CircuitBreaker breaker) {
		long sentAt = System.nanoTime();
		guarded(command).whenComplete((result, failure) -> {
			breaker.ended(sentAt, System.nanoTime(), failure);
			try {
				if (!this.firstAnswer.isThere()) {
					this.firstAnswer.answered(this.clock.getAsLong());
				}
			}
			finally {
				if (failure != null) {
					answer.completeExceptionally(failure);
				}
				else {
					answer.complete(result);
				}
			}
		});
	}

	private CircuitBreaker breaker(String key) {
		Object server = this.store.server(key);
		if (server == null) {
			return this.alwaysClosed;
		}
		CircuitBreaker known = this.breakers.get(server);
		return (known != null) ? known
				: this.breakers.computeIfAbsent(server, (absent) -> new CircuitBreaker(this.commandTimeout,
						this.firstAnswerInRealTime, !this.store.isBlocking()));
	}

	private static <T extends @Nullable Object> CompletionStage<T> guarded(Supplier<CompletionStage<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
