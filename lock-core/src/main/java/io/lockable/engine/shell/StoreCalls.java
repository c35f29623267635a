package io.lockable.engine.shell;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.lockable.DurationText;
import io.lockable.LockStoreException;
import io.lockable.LogSafe;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.engine.runtime.Timer;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of an engine to its store: their threads, circuit breakers, timeouts and
 * failures.
 *
 * <p>
 * Threads that must not block use {@link #dispatch}: those of the timer, of the store's
 * client and of asynchronous callers.
 */
public abstract class StoreCalls {

	private static final Logger log = LoggerFactory.getLogger(StoreCalls.class);

	private static final Pattern CREDENTIALS = Pattern.compile("//\\S*@");

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private final LockStore store;

	private final EngineRuntime runtime;

	private final Duration commandTimeout;

	private final Timer timer;

	private final Map<Object, CircuitBreaker> breakers = new ConcurrentHashMap<>();

	private final CircuitBreaker alwaysClosed = CircuitBreaker.alwaysClosed();

	private final Opening opening;

	// Whether the calling thread must not block.
	private final ThreadLocal<Boolean> dispatching = ThreadLocal.withInitial(() -> false);

	StoreCalls(LockStore store, EngineRuntime runtime, Duration commandTimeout, Timer timer) {
		this.store = store;
		this.runtime = runtime;
		this.commandTimeout = commandTimeout;
		this.timer = timer;
		this.opening = new Opening(store.connectTimeout());
	}

	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	void execute(Runnable step) {
		this.runtime.execute(Work.STEP, step);
	}

	long now() {
		return this.runtime.now();
	}

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
		Runnable cancel = this.timer.at(now() + limit.toNanos(),
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
	void awaitOpen(String key) {
		if (!isOpen()) {
			long limit = this.opening.limit(this.commandTimeout).toNanos();
			await(open(key), key, now() + limit);
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
	public <T extends @Nullable Object> CompletionStage<T> notOpen(String key) {
		NotSentException failure = this.opening.failure(key);
		dispatch(() -> open(key));
		return CompletableFuture.failedFuture(failure);
	}

	/**
	 * Sends a command, unless the server of the lock is silent.
	 * @param <T> the type of the answer
	 * @param key the full name of the lock
	 * @param command the command
	 * @return the answer; a {@link NotSentException} if it was not sent
	 */
	public <T extends @Nullable Object> CompletionStage<T> call(String key, Supplier<CompletionStage<T>> command) {
		CircuitBreaker breaker = breaker(key);
		long startedAt = this.runtime.now();
		if (!breaker.tryStart(startedAt)) {
			return CompletableFuture.failedFuture(new NotSentException(key));
		}
		CompletableFuture<T> answer = new CompletableFuture<>();
		if (this.dispatching.get()) {
			this.runtime.execute(Work.STEP, () -> {
				long sentAt = this.runtime.now();
				if (breaker.isOverdue(startedAt, sentAt)) {
					breaker.dropped();
					answer.completeExceptionally(new NotSentException(key));
				}
				else {
					follow(guarded(command), sentAt, breaker, answer);
				}
			});
			return answer;
		}
		CompletionStage<T> sent;
		try {
			sent = command.get();
		}
		catch (RuntimeException | Error ex) {
			// An Error as well: the circuit breaker counts each command until it ends.
			sent = CompletableFuture.failedFuture(ex);
		}
		follow(sent, startedAt, breaker, answer);
		return answer;
	}

	private <T extends @Nullable Object> void follow(CompletionStage<T> sent, long sentAt, CircuitBreaker breaker,
			CompletableFuture<T> answer) {
		sent.whenComplete((result, failure) -> {
			breaker.ended(sentAt, this.runtime.now(), failure);
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(result);
			}
		});
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
		return deadline(this.runtime.now());
	}

	/**
	 * Returns the time at which a command is overdue.
	 * @param sentAt the time at which it is sent
	 * @return the deadline
	 */
	public long deadline(long sentAt) {
		return sentAt + this.commandTimeout.toNanos();
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
				moveOn(answer);
			}
		}
	}

	// Lets the due task come, on a clock that stands still while nothing waits for it.
	private void moveOn(CompletableFuture<?> answer) throws InterruptedException, ExecutionException {
		try {
			this.runtime.await(answer, this.runtime.now() + this.commandTimeout.toNanos(), () -> {
			});
		}
		catch (TimeoutException ex) {
			log.debug("The store did not answer in time; the overdue tasks of the clock are done", ex);
		}
	}

	public void pause() {
		boolean interrupted = Thread.interrupted();
		this.runtime.pause(PAUSE);
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Pauses as {@link #pause()} does, and fails after the deadline.
	 * @param key the full name of the lock
	 * @param deadline the deadline
	 */
	public void pause(String key, long deadline) {
		if (deadline - this.runtime.now() <= 0) {
			throw storeFailure(key, new TimeoutException());
		}
		pause();
	}

	public LockStoreException storeFailure(String key, Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
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
	public LockStoreException noAnswer(String key) {
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
