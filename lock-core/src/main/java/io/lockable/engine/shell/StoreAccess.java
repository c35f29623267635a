package io.lockable.engine.shell;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.Timer;
import io.lockable.store.Acquisition;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LeaseRequest;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.Recall;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * The commands that an engine sends to its store.
 *
 * <p>
 * Methods that send a command block if the store does. Methods that return a supplier
 * leave the sending to {@link #call}.
 */
public final class StoreAccess extends StoreCalls {

	private final LockStore store;

	private final @Nullable QueueingLockStore queueing;

	private final boolean needsConfirmation;

	private final @Nullable RecallingLockStore recalling;

	private final Duration recallTimeout;

	private final long lookInterval;

	public StoreAccess(LockStore store, EngineRuntime runtime, Duration commandTimeout, Duration recallTimeout,
			Timer timer) {
		super(store, runtime, commandTimeout, timer);
		this.store = store;
		this.queueing = (store instanceof QueueingLockStore capable) ? capable : null;
		this.needsConfirmation = this.queueing != null && this.queueing.needsConfirmation();
		this.recalling = (store instanceof RecallingLockStore capable && !this.needsConfirmation) ? capable : null;
		this.recallTimeout = recallTimeout;
		this.lookInterval = (this.queueing != null) ? this.queueing.lookInterval().toNanos() : 0;
	}

	// Capabilities

	public boolean isQueueing() {
		return this.queueing != null;
	}

	public boolean needsConfirmation() {
		return this.needsConfirmation;
	}

	/**
	 * Returns the maximum time for which a queued waiter may be silent.
	 * @return the time in nanoseconds
	 */
	public long lookInterval() {
		return this.lookInterval;
	}

	/**
	 * Returns whether the store executes commands in the order in which they are sent. A
	 * blocking client uses several connections, and keeps no order.
	 * @return whether commands are ordered
	 */
	public boolean isOrdered() {
		return !this.store.isBlocking();
	}

	/**
	 * Returns the end of owner tokens of locks that this instance may retain.
	 * @return the address, or {@code null} if the instance cannot be asked for a lock
	 */
	public @Nullable String address() {
		return (this.recalling != null) ? this.recalling.address() : null;
	}

	/**
	 * Returns the maximum time to wait for an instance that may only retain a lock.
	 * @return the time
	 */
	public Duration recallTimeout() {
		return this.recallTimeout;
	}

	/**
	 * Returns whether the messages of the store currently reach this instance, if it is
	 * subscribed.
	 * @return whether queued waiters need not poll
	 */
	public boolean isNotifying() {
		return this.queueing != null && this.queueing.isNotifying();
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
		return isOpen() ? call(key, () -> this.store.acquireAll(requests)) : notOpen(key);
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
			CompletableFuture<Acquisition> answer = call(key,
					() -> queueing().transfer(key, transfer.owner(), transfer.successor(), transfer.lease()))
				.toCompletableFuture();
			Executor executor = answer.isDone() ? this::execute : Runnable::run;
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
		return () -> queueing().yieldTurn(key, owner, next.owner(), next.lease());
	}

	public CompletionStage<Boolean> release(String key, String owner) {
		return call(key, () -> this.store.release(key, owner));
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

	public void extend(ExtendCommand extending) {
		LeaseRequest request = extending.request();
		copy(call(request.key(), () -> this.store.extend(request.key(), request.owner(), request.lease())),
				extending.answer());
	}

	private @Nullable Duration rest(@Nullable Long keptUntil) {
		long left = (keptUntil != null) ? keptUntil - now() : 0;
		return (left > 0) ? Duration.ofMillis((left + 999_999) / 1_000_000) : null;
	}

	public void extendAll(List<ExtendCommand> extensions) {
		extensions.stream()
			.collect(Collectors.groupingBy((extending) -> breaker(extending.request().key())))
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
			copy(answers.get(i), group.get(i).answer());
		}
		return answers.get(0);
	}

	private static void copy(CompletionStage<Boolean> from, CompletableFuture<Boolean> to) {
		from.whenComplete((answer, failure) -> {
			if (failure != null) {
				boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
				to.completeExceptionally(wrapped ? failure.getCause() : failure);
			}
			else {
				to.complete(answer);
			}
		});
	}

	public CompletionStage<Object> subscribe(Inbox inbox) {
		return guarded(() -> queueing().subscribe(inbox).thenApply((ok) -> true));
	}

	public boolean isLocked(String key) {
		return ask(key, () -> this.store.isLocked(key));
	}

	public StoredLock look(String key) {
		if (!(this.store instanceof InspectableLockStore inspectable)) {
			throw new UnsupportedOperationException(
					"%s cannot report holders: use an InspectableLockStore to inspect locks and to release them by force"
						.formatted(this.store.getClass().getSimpleName()));
		}
		return ask(key, () -> inspectable.look(key));
	}

	public boolean isShared(String key) {
		return ask(key, () -> ((SharingLockStore) this.store).isShared(key));
	}

	private <T> T ask(String key, Supplier<CompletionStage<T>> command) {
		awaitOpen(key);
		return await(isOpen() ? call(key, command) : notOpen(key), key);
	}

	private QueueingLockStore queueing() {
		if (this.queueing == null) {
			throw new IllegalStateException("The store has no queues");
		}
		return this.queueing;
	}

}
