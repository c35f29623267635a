package io.lockable.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.engine.Bid.Ask;
import io.lockable.engine.Hold.Transfer;
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

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private final LockStore store;

	private final @Nullable QueueingLockStore queueing;

	private final boolean needsConfirmation;

	private final LockClock clock;

	private final Duration commandTimeout;

	private final Workers workers;

	StoreAccess(LockStore store, LockClock clock, Duration commandTimeout, Workers workers) {
		this.store = store;
		this.queueing = (store instanceof QueueingLockStore capable) ? capable : null;
		this.needsConfirmation = this.queueing != null && this.queueing.needsConfirmation();
		this.clock = clock;
		this.commandTimeout = commandTimeout;
		this.workers = workers;
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

	// Commands

	CompletionStage<Acquisition> send(String key, Ask ask, Claim claim, boolean fair) {
		if (claim.isShared()) {
			return call(() -> share(key, ask, claim));
		}
		QueueingLockStore queueing = this.queueing;
		return call(() -> (queueing != null && ask.queue()) ? queueing.enqueue(key, ask.owner(), ask.lease(), fair)
				: this.store.acquire(key, ask.owner(), ask.lease()));
	}

	boolean canAcquireAll(Collection<String> keys) {
		return this.store.canAcquireAll(keys);
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

	CompletionStage<Boolean> release(String key, String owner) {
		return call(() -> this.store.release(key, owner));
	}

	CompletionStage<Boolean> forget(String key, String owner) {
		QueueingLockStore queueing = this.queueing;
		return call(() -> (queueing != null) ? queueing.withdraw(key, owner) : this.store.release(key, owner));
	}

	void extend(Extension extension) {
		extension.completeWith(call(() -> this.store.extend(extension.key(), extension.owner(), extension.lease())));
	}

	CompletionStage<Boolean> shorten(String key, String owner, Duration lease) {
		return call(() -> this.store.shorten(key, owner, lease));
	}

	void extendAll(List<Extension> extensions) {
		try {
			this.store.extendAll(extensions);
		}
		catch (RuntimeException ex) {
			extensions.forEach((extension) -> extension.result().completeExceptionally(ex));
		}
	}

	CompletionStage<Object> subscribe(Inbox inbox) {
		return call(() -> queueing().subscribe(inbox).thenApply((ok) -> true));
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

	boolean isShared(String key) {
		return await(call(() -> ((SharingLockStore) this.store).isShared(key)), key);
	}

	// Threads

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
		long deadline = this.clock.getAsLong() + this.commandTimeout.toNanos();
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
			throw storeFailure(key, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	void pause() {
		boolean interrupted = Thread.interrupted();
		LockSupport.parkNanos(PAUSE);
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
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
