package io.lockable.engine.shell;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.engine.runtime.Timer;
import io.lockable.store.Acquisition;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.MessagingLockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access of an engine to its store: commands, with their threads, circuit breakers,
 * timeouts and failures.
 *
 * <p>
 * Methods that send a command block if the store does. Methods that return a supplier
 * leave the sending to {@link #call}. Threads that must not block use {@link #dispatch}:
 * those of the timer, of the store's client and of asynchronous callers.
 */
public final class StoreAccess {

	private static final Logger log = LoggerFactory.getLogger(StoreAccess.class);

	private static final Pattern CREDENTIALS = Pattern.compile("//\\S*@");

	private final LockStore store;

	private final EngineRuntime runtime;

	private final @Nullable QueueingLockStore queueing;

	private final @Nullable RecallingLockStore recalling;

	private final @Nullable MessagingLockStore messaging;

	private final String instance;

	private final Duration commandTimeout;

	private final Duration recallTimeout;

	private final Timer timer;

	private final Map<Object, CircuitBreaker> breakers = new ConcurrentHashMap<>();

	private final CircuitBreaker alwaysClosed = CircuitBreaker.alwaysClosed();

	private final Opening opening;

	// Whether the calling thread must not block.
	private final ThreadLocal<Boolean> dispatching = ThreadLocal.withInitial(() -> false);

	public StoreAccess(LockStore store, EngineRuntime runtime, Duration commandTimeout, Duration recallTimeout,
			Timer timer) {
		this.store = store;
		this.queueing = (store instanceof QueueingLockStore capable) ? capable : null;
		this.messaging = (store instanceof MessagingLockStore capable) ? capable : null;
		this.recalling = (store instanceof RecallingLockStore capable && !needsConfirmation()) ? capable : null;
		this.instance = (this.messaging != null && this.messaging.claimAddress()) ? this.messaging.address()
				: runtime.uniqueId();
		this.runtime = runtime;
		this.commandTimeout = commandTimeout;
		this.recallTimeout = recallTimeout;
		this.timer = timer;
		this.opening = new Opening(store.connectTimeout());
	}

	// Capabilities

	/**
	 * Returns the settings of a key.
	 * @param key the full name of the lock
	 * @param downgrade whether a holder exchanges the exclusive lock for a share
	 * @return the settings
	 */
	Settings settings(String key, boolean downgrade) {
		long lookInterval = (this.queueing != null) ? this.queueing.lookInterval().toNanos() : 0;
		return new Settings(key, isQueueing(), needsConfirmation(), this.store.isOrdered(), this.recalling != null,
				this.recallTimeout, this.commandTimeout, lookInterval, downgrade);
	}

	public boolean isQueueing() {
		return this.queueing != null;
	}

	private boolean needsConfirmation() {
		return this.queueing != null && this.queueing.needsConfirmation();
	}

	/**
	 * Returns the end of owner tokens of locks that this instance may retain.
	 * @return the address, or {@code null} if the instance cannot be asked for a lock
	 */
	public @Nullable String address() {
		return (this.recalling != null) ? this.recalling.address() : null;
	}

	/**
	 * Returns the id of this instance in owner tokens.
	 * @return the address of its inbox, or another unique id if it has no inbox of its
	 * own
	 */
	public String instance() {
		return this.instance;
	}

	/**
	 * Returns whether instances can send messages to each other.
	 * @return whether {@link #send} is supported
	 */
	public boolean isMessaging() {
		return this.messaging != null;
	}

	/**
	 * Returns whether the messages of the store currently reach this instance, if it is
	 * subscribed.
	 * @return whether queued waiters need not poll
	 */
	public boolean isNotifying() {
		return this.queueing != null && this.queueing.isNotifying();
	}

	boolean isOrdered() {
		return this.store.isOrdered();
	}

	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	// Opening

	/**
	 * Returns whether the store has answered, or needs no time to connect. Otherwise it
	 * must be {@linkplain #open opened} before a wait or a lease begins.
	 * @return whether commands are sent
	 */
	public boolean isOpen() {
		return this.opening.isOpen();
	}

	/**
	 * Connects to the store. Concurrent callers share one attempt, which takes at most
	 * the command timeout. The connect timeout is added to the first attempt.
	 * @param key the full name of a lock of the caller
	 * @return completes when the attempt has ended. After a failure, commands fail with
	 * it until a later attempt succeeds
	 */
	public CompletionStage<Boolean> open(String key) {
		CompletableFuture<Boolean> own = new CompletableFuture<>();
		CompletableFuture<Boolean> joined = this.opening.join(own);
		if (joined != null) {
			return joined;
		}
		Duration limit = this.opening.limit(this.commandTimeout);
		Runnable cancel = this.timer.at(this.runtime.now() + limit.toNanos(),
				() -> this.opening.ended(own, (each) -> noAnswer(each, limit, new TimeoutException())));
		call(key, () -> this.store.connect(key).thenApply((connected) -> true)).whenComplete((answer, failure) -> {
			cancel.run();
			if (failure == null || storeFailure(key, failure).isRetryable()) {
				this.opening.ended(own, null);
			}
			else {
				Throwable cause = failure;
				this.opening.ended(own, (each) -> storeFailure(each, cause));
			}
		});
		return own;
	}

	/**
	 * Opens the store, and waits for it. Keeps an interrupt for later.
	 * @param key the full name of a lock of the caller
	 */
	public void awaitOpen(String key) {
		if (!isOpen()) {
			long limit = this.opening.limit(this.commandTimeout).toNanos();
			await(open(key), key, this.runtime.now() + limit);
		}
	}

	/**
	 * Lets waiting callers go on, because the engine shuts down.
	 */
	public void stopOpening() {
		this.opening.open();
	}

	/**
	 * Returns the failure of a command that is not sent because the store is not open,
	 * and opens the store for the next one.
	 * @param <T> the type of the answer
	 * @param key the full name of the lock
	 * @return a {@link NotSentException}
	 */
	<T extends @Nullable Object> CompletionStage<T> notOpen(String key) {
		NotSentException failure = this.opening.failure(key);
		dispatch(() -> open(key));
		return CompletableFuture.failedFuture(failure);
	}

	// Commands

	/**
	 * Returns the command that requests a lock.
	 * @param key the full name of the lock
	 * @param ask the owner token, its lease, and whether to queue it
	 * @param mode the requested part of the lock
	 * @param fair whether to queue behind other instances even if the lock is free
	 * @return the command
	 */
	public Supplier<CompletionStage<Acquisition>> asking(String key, AcquireCommand ask, LockMode mode, boolean fair) {
		if (mode.isShared()) {
			return () -> share(key, ask, mode);
		}
		RecallingLockStore recalls = this.recalling;
		if (recalls != null && ask.recall()) {
			return () -> recalls.acquireOrRecall(key, ask.owner(), ask.lease());
		}
		QueueingLockStore queues = this.queueing;
		return (queues != null && ask.queue()) ? () -> queues.enqueue(key, ask.owner(), ask.lease(), fair)
				: () -> this.store.acquire(key, ask.owner(), ask.lease());
	}

	public boolean canAcquireAll(Collection<String> keys) {
		return this.store.canAcquireAll(keys);
	}

	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		String key = requests.get(0).key();
		return callWhenOpen(key, () -> this.store.acquireAll(requests));
	}

	private CompletionStage<Acquisition> share(String key, AcquireCommand ask, LockMode mode) {
		if (!(this.store instanceof SharingLockStore sharing)) {
			throw new IllegalStateException("The store cannot share locks");
		}
		String predecessor = mode.predecessor();
		if (predecessor != null) {
			return sharing.downgrade(key, predecessor, ask.owner(), ask.lease());
		}
		if (ask.recall()) {
			return sharing.acquireSharedOrRecall(key, ask.owner(), ask.lease(), mode.permits());
		}
		return ask.queue() ? sharing.enqueueShared(key, ask.owner(), ask.lease(), mode.permits())
				: sharing.acquireShared(key, ask.owner(), ask.lease(), mode.permits());
	}

	/**
	 * Sends a transfer without delaying the leaving holder: if the store blocks, another
	 * thread sends it. An answer that is already complete is also handled on another
	 * thread. It may lead to the next transfer, and the first thread would otherwise
	 * serve all successors.
	 * @param key the full name of the lock
	 * @param transfer the transfer
	 * @param answered receives the answer or the failure
	 */
	public void transfer(String key, Transfer transfer,
			BiConsumer<@Nullable Acquisition, @Nullable Throwable> answered) {
		dispatch(() -> {
			CompletableFuture<Acquisition> answer = call(key, () -> Objects.requireNonNull(this.queueing)
				.transfer(key, transfer.owner(), transfer.successor(), transfer.lease())).toCompletableFuture();
			Executor executor = answer.isDone() ? (step) -> this.runtime.execute(Work.STEP, step) : Runnable::run;
			CompletionStage<Acquisition> stage = answer;
			stage.whenComplete((acquisition, failure) -> executor.execute(() -> answered.accept(acquisition, failure)));
		});
	}

	public void answerBusy(Recall recall) {
		RecallingLockStore recalls = this.recalling;
		if (recalls != null) {
			dispatch(() -> call(recall.key(), () -> recalls.answerBusy(recall)));
		}
	}

	public Supplier<CompletionStage<QueueingLockStore.Yielded>> yielding(String key, String owner,
			AcquireCommand next) {
		return () -> Objects.requireNonNull(this.queueing).yieldTurn(key, owner, next.owner(), next.lease());
	}

	/**
	 * Returns the command that releases a lock, or keeps it locked without a holder.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param keptUntil the time until which the lock is kept, or {@code null}
	 * @return the command
	 */
	public Supplier<CompletionStage<Boolean>> givingBack(String key, String owner, @Nullable Long keptUntil) {
		Duration rest = rest(keptUntil);
		return (rest != null) ? () -> this.store.keep(key, owner, rest) : () -> this.store.release(key, owner);
	}

	/**
	 * Removes an owner token from the server, where it holds the lock or waits.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param keptUntil the time until which the lock is kept, or {@code null}
	 * @return whether the owner token had the lock
	 */
	public CompletionStage<Boolean> forget(String key, String owner, @Nullable Long keptUntil) {
		Duration rest = rest(keptUntil);
		if (rest != null) {
			return call(key, () -> this.store.keep(key, owner, rest));
		}
		QueueingLockStore queueing = this.queueing;
		return call(key, () -> (queueing != null) ? queueing.withdraw(key, owner) : this.store.release(key, owner));
	}

	private @Nullable Duration rest(@Nullable Long keptUntil) {
		long left = (keptUntil != null) ? keptUntil - this.runtime.now() : 0;
		return (left > 0) ? Duration.ofMillis((left + 999_999) / 1_000_000) : null;
	}

	public void extendAll(List<ExtendCommand> extensions) {
		extensions.stream()
			// In the order of the leases, so that a run can be repeated.
			.collect(Collectors.groupingBy((extending) -> breaker(extending.request().key()), LinkedHashMap::new,
					Collectors.toList()))
			.values()
			.forEach(this::extendTogether);
	}

	// Counts as one command to the server, which ends with the first answer.
	private void extendTogether(List<ExtendCommand> group) {
		List<LeaseRequest> requests = group.stream().map(ExtendCommand::request).toList();
		call(requests.get(0).key(), () -> sendTogether(requests, group)).whenComplete((answer, failure) -> {
			if (failure instanceof NotSentException) {
				group.forEach((extending) -> extending.answer().completeExceptionally(failure));
			}
		});
	}

	private CompletionStage<Boolean> sendTogether(List<LeaseRequest> requests, List<ExtendCommand> group) {
		List<CompletionStage<Boolean>> answers;
		try {
			answers = this.store.extendAll(requests);
		}
		catch (RuntimeException | Error ex) {
			group.forEach((extending) -> extending.answer().completeExceptionally(ex));
			throw ex;
		}
		for (int i = 0; i < answers.size(); i++) {
			CompletableFuture<Boolean> answer = group.get(i).answer();
			answers.get(i).whenComplete((extended, failure) -> complete(answer, extended, failure));
		}
		return answers.get(0);
	}

	public CompletionStage<Object> subscribe(Inbox inbox) {
		return guarded(() -> Objects.requireNonNull(this.queueing).subscribe(inbox).thenApply((ok) -> true));
	}

	/**
	 * Sends a message to another instance.
	 * @param address the address of its inbox
	 * @param message the message
	 * @return the number of receivers, or -1 if it is not known
	 */
	public CompletionStage<Long> send(String address, String message) {
		return callWhenOpen(address, () -> Objects.requireNonNull(this.messaging).send(address, message));
	}

	public boolean isLocked(String key) {
		return ask(key, () -> this.store.isLocked(key));
	}

	public StoredLock look(String key) {
		InspectableLockStore inspectable = inspectable();
		return ask(key, () -> inspectable.look(key));
	}

	/**
	 * Looks up a lock without blocking.
	 * @param key the full name of the lock
	 * @return the lock, or the failure, also of a store that cannot report holders
	 */
	public CompletionStage<StoredLock> lookUp(String key) {
		return guarded(() -> {
			InspectableLockStore inspectable = inspectable();
			return callWhenOpen(key, () -> inspectable.look(key));
		});
	}

	/**
	 * Returns the store, if it reports holders.
	 * @return the store
	 * @throws UnsupportedOperationException if it does not
	 */
	public InspectableLockStore inspectable() {
		if (!(this.store instanceof InspectableLockStore inspectable)) {
			throw new UnsupportedOperationException(
					"%s cannot report holders: use an InspectableLockStore to inspect locks and to release them by force"
						.formatted(this.store.getClass().getSimpleName()));
		}
		return inspectable;
	}

	public boolean isShared(String key) {
		return ask(key, () -> ((SharingLockStore) this.store).isShared(key));
	}

	private <T> T ask(String key, Supplier<CompletionStage<T>> command) {
		awaitOpen(key);
		return await(callWhenOpen(key, command), key);
	}

	// Sending

	private <T extends @Nullable Object> CompletionStage<T> callWhenOpen(String key,
			Supplier<CompletionStage<T>> command) {
		return isOpen() ? call(key, command) : notOpen(key);
	}

	/**
	 * Sends a command, unless the server of the lock is silent.
	 * @param <T> the type of the answer
	 * @param key the full name of the lock
	 * @param command the command
	 * @return the answer; a {@link NotSentException} if it was not sent
	 */
	public <T extends @Nullable Object> CompletionStage<T> call(String key, Supplier<CompletionStage<T>> command) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		call(key, command, (result, failure) -> complete(answer, result, failure));
		return answer;
	}

	/**
	 * Sends a command, unless the server of the lock is silent.
	 * @param <T> the type of the answer
	 * @param key the full name of the lock
	 * @param command the command
	 * @param answered receives the answer, or the failure: a {@link NotSentException} if
	 * it was not sent
	 */
	<T extends @Nullable Object> void call(String key, Supplier<CompletionStage<T>> command,
			BiConsumer<@Nullable T, @Nullable Throwable> answered) {
		CircuitBreaker breaker = breaker(key);
		long startedAt = this.runtime.now();
		if (!breaker.tryStart(startedAt)) {
			answered.accept(null, new NotSentException(key));
		}
		else if (this.dispatching.get()) {
			this.runtime.execute(Work.STEP, () -> {
				long sentAt = this.runtime.now();
				if (breaker.isOverdue(startedAt, sentAt)) {
					breaker.dropped();
					answered.accept(null, new NotSentException(key));
				}
				else {
					follow(guarded(command), sentAt, breaker, answered);
				}
			});
		}
		else {
			CompletionStage<T> sent;
			try {
				sent = command.get();
			}
			catch (RuntimeException | Error ex) {
				// An Error as well: the circuit breaker counts each command until it
				// ends.
				sent = CompletableFuture.failedFuture(ex);
			}
			follow(sent, startedAt, breaker, answered);
		}
	}

	private <T extends @Nullable Object> void follow(CompletionStage<T> sent, long sentAt, CircuitBreaker breaker,
			BiConsumer<@Nullable T, @Nullable Throwable> answered) {
		sent.whenComplete((result, failure) -> {
			breaker.ended(sentAt, this.runtime.now(), failure);
			answered.accept(result, failure);
		});
	}

	static <T extends @Nullable Object> void complete(CompletableFuture<T> future, T result,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(result);
		}
	}

	CircuitBreaker breaker(String key) {
		Object server = this.store.server(key);
		if (server == null) {
			return this.alwaysClosed;
		}
		CircuitBreaker known = this.breakers.get(server);
		return (known != null) ? known : this.breakers.computeIfAbsent(server,
				(absent) -> new CircuitBreaker(this.commandTimeout, !this.store.isBlocking()));
	}

	static <T extends @Nullable Object> CompletionStage<T> guarded(Supplier<CompletionStage<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	// Threads

	/**
	 * Runs a step on a thread that must not block. The step needs no I/O itself, and is
	 * complete when this method returns. If the store blocks, the step's commands are
	 * sent from other threads.
	 * @param step the step
	 */
	public void dispatch(Runnable step) {
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
	public void dispatchRenewal(Runnable renewal) {
		if (this.store.isBlocking()) {
			this.runtime.execute(Work.RENEWAL, renewal);
		}
		else {
			renewal.run();
		}
	}

	/**
	 * Waits for an answer of the store, at most for the command timeout. Keeps an
	 * interrupt for later.
	 * @param <T> the type of the answer
	 * @param stage the answer
	 * @param key the full name of the lock
	 * @return the answer
	 */
	public <T> T await(CompletionStage<T> stage, String key) {
		return await(stage, key, answerDeadline());
	}

	/**
	 * Returns the deadline of the answer to a command sent now.
	 * @return the deadline, also for several answers together
	 */
	public long answerDeadline() {
		return this.runtime.now() + this.commandTimeout.toNanos();
	}

	/**
	 * Waits for an answer of the store. Keeps an interrupt for later.
	 * @param <T> the type of the answer
	 * @param stage the answer
	 * @param key the full name of the lock
	 * @param deadline the deadline
	 * @return the answer
	 */
	public <T> T await(CompletionStage<T> stage, String key, long deadline) {
		CompletableFuture<T> future = stage.toCompletableFuture();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return this.runtime.awaitAnswer(future, Math.max(0, deadline - this.runtime.now()));
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
	 * Waits for an answer, or for the failure that a due task decides if there is none.
	 * @param <T> the type of the answer
	 * @param answer the answer, or the failure for a missing one
	 * @return the answer
	 * @throws InterruptedException if the thread was interrupted
	 * @throws ExecutionException if the answer is a failure
	 */
	public <T extends @Nullable Object> T awaitDecision(CompletableFuture<T> answer)
			throws InterruptedException, ExecutionException {
		while (true) {
			try {
				return this.runtime.awaitAnswer(answer, this.commandTimeout.toNanos());
			}
			catch (TimeoutException ex) {
				// The due task decides, also on a clock that stands still without a wait.
			}
			try {
				return this.runtime.await(answer, answerDeadline(), () -> {
				});
			}
			catch (TimeoutException ex) {
				log.debug("The store did not answer in time; the overdue tasks of the clock are done", ex);
			}
		}
	}

	static Throwable cause(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	LockStoreException storeFailure(String key, Throwable failure) {
		Throwable cause = cause(failure);
		if (cause instanceof NotSentException known) {
			return (known.getCause() != null) ? known : new NotSentException(key);
		}
		if (cause instanceof TimeoutException) {
			return noAnswer(key);
		}
		if (!(cause instanceof LockStoreException known)) {
			return failure(key, String.valueOf(cause.getMessage()), cause, false);
		}
		// Uses the known cause, so that each text occurs once in a stack trace.
		Throwable reason = (known.getCause() != null) ? known.getCause() : known;
		String message = String.valueOf(known.getMessage());
		return message.contains("'" + LogSafe.of(key) + "'")
				? new LockStoreException(message, reason, known.isRetryable())
				: failure(key, message, reason, known.isRetryable());
	}

	private LockStoreException failure(String key, String reason, Throwable cause, boolean retryable) {
		return new LockStoreException("The store failed for lock '%s'%s: %s".formatted(key, place(), reason), cause,
				retryable);
	}

	/**
	 * Returns the failure of a command that timed out.
	 * @param key the full name of the lock
	 * @return the failure
	 */
	LockStoreException noAnswer(String key) {
		return noAnswer(key, this.commandTimeout, null);
	}

	private LockStoreException noAnswer(String key, Duration waited, @Nullable Throwable cause) {
		return new LockStoreException(
				"The store did not answer for lock '%s' within %s%s".formatted(key, DurationText.of(waited), place()),
				cause);
	}

	/**
	 * Returns the store's own description of its location, for a message.
	 */
	private String place() {
		String text = this.store.toString();
		boolean silent = text.startsWith(this.store.getClass().getName() + '@');
		return silent ? "" : " (" + CREDENTIALS.matcher(text).replaceAll("//***@") + ')';
	}

}
