package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;

/**
 * A store that only records its calls: the test answers each explicitly, at any time and
 * in any order.
 */
final class ScriptedStore implements SharingLockStore, RecallingLockStore, InspectableLockStore {

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

	private final ReentrantLock mutex = new ReentrantLock();

	private final Condition called = this.mutex.newCondition();

	private final List<Call> calls = new ArrayList<>();

	private final List<Call> untaken = new ArrayList<>();

	private final Map<Command, Consumer<Call>> answers = new EnumMap<>(Command.class);

	private final Map<Command, Runnable> interruptions = new ConcurrentHashMap<>();

	// The last reserved fencing token, which each refusal reports.
	private final AtomicLong lastToken = new AtomicLong(1);

	private final List<Integer> batches = new CopyOnWriteArrayList<>();

	private final BlockingQueue<List<Attempt>> together = new LinkedBlockingQueue<>();

	private volatile boolean takesTogether;

	private volatile boolean blocks;

	private volatile boolean reorders;

	private final boolean needsConfirmation;

	private volatile Duration connectTimeout = Duration.ZERO;

	private volatile Inbox inbox;

	ScriptedStore() {
		this(false);
	}

	ScriptedStore(boolean needsConfirmation) {
		this.needsConfirmation = needsConfirmation;
	}

	/**
	 * Sets the connect timeout, before an engine is built on the store.
	 * @param timeout the connect timeout
	 * @return the store
	 */
	ScriptedStore connecting(Duration timeout) {
		this.connectTimeout = timeout;
		return this;
	}

	@Override
	public Duration connectTimeout() {
		return this.connectTimeout;
	}

	@Override
	public CompletionStage<?> connect(String key) {
		return call(Command.CONNECT, key, "", "", Duration.ZERO);
	}

	@Override
	public boolean needsConfirmation() {
		return this.needsConfirmation;
	}

	/**
	 * Waits for the next call of a command that no test has taken yet.
	 * @param command the command
	 * @return the call, to be answered
	 */
	Call take(Command command) {
		return take(EnumSet.of(command));
	}

	/**
	 * Waits for the next call that releases a lock, by any command.
	 * @return the call, to be answered
	 */
	Call takeGivenBack() {
		return take(EnumSet.of(Command.RELEASE, Command.WITHDRAW));
	}

	/**
	 * Waits for the next call that requests a lock, by any command.
	 * @return the call, to be answered
	 */
	Call takeAsk() {
		return take(EnumSet.of(Command.ACQUIRE, Command.ENQUEUE, Command.ACQUIRE_SHARED, Command.ENQUEUE_SHARED));
	}

	private Call take(Set<Command> commands) {
		this.mutex.lock();
		try {
			long left = PATIENCE;
			while (true) {
				for (Call call : this.untaken) {
					if (commands.contains(call.command())) {
						this.untaken.remove(call);
						return call;
					}
				}
				if (left <= 0) {
					throw new AssertionError("No call of " + commands + " among " + this.calls);
				}
				left = this.called.awaitNanos(left);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Lets the engine send commands from threads that may block, from now on.
	 */
	void blocks() {
		this.blocks = true;
	}

	@Override
	public boolean isBlocking() {
		return this.blocks;
	}

	/**
	 * Lets the engine expect from now on that commands overtake one another.
	 */
	void reorders() {
		this.reorders = true;
	}

	@Override
	public boolean isOrdered() {
		return !this.reorders && !this.blocks;
	}

	/**
	 * Lets the engine request several keys by one command from now on.
	 */
	void takesTogether() {
		this.takesTogether = true;
	}

	/**
	 * Waits for the next command for several keys that no test has taken yet.
	 * @return its requests, to be answered
	 */
	List<Attempt> takeAttempts() {
		try {
			List<Attempt> attempts = this.together.poll(PATIENCE, TimeUnit.NANOSECONDS);
			if (attempts == null) {
				throw new AssertionError("No command for several keys");
			}
			return attempts;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	boolean hasUntakenAttempts() {
		return !this.together.isEmpty();
	}

	/**
	 * Returns the calls of a command so far, taken or not.
	 * @param command the command
	 * @return the calls, in order
	 */
	List<Call> calls(Command command) {
		return calls().stream().filter((call) -> call.command() == command).toList();
	}

	List<Call> calls() {
		this.mutex.lock();
		try {
			return List.copyOf(this.calls);
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Answers calls of a command immediately from now on.
	 * @param command the command
	 * @param answer completes the call
	 */
	void answering(Command command, Consumer<Call> answer) {
		this.mutex.lock();
		try {
			this.answers.put(command, answer);
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Runs an action whenever a thread is about to send a command, as if that thread had
	 * been stopped there.
	 * @param command the command
	 * @param interruption the action
	 */
	void beforeSending(Command command, Runnable interruption) {
		this.interruptions.put(command, interruption);
	}

	/**
	 * Answers all past and future calls, so that an engine can close: no lock is held,
	 * and no owner token is left.
	 */
	void answerAll() {
		for (Command command : Command.values()) {
			answering(command, Call::dismiss);
		}
		calls().forEach(Call::dismiss);
	}

	void grant(Call call, long token) {
		grant(call, call.granted(token, false));
	}

	void grant(Call call, Granted granted) {
		this.inbox.granted(new Grant(call.key(), call.owner(), granted, call.lease()));
	}

	Inbox inbox() {
		return this.inbox;
	}

	/**
	 * Returns the number of extensions in each batch.
	 * @return the sizes
	 */
	List<Integer> batches() {
		return this.batches;
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return call(Command.ACQUIRE, key, owner, "", lease);
	}

	@Override
	public boolean claimAddress() {
		return false;
	}

	@Override
	public CompletionStage<Long> send(String to, String message) {
		return CompletableFuture.completedFuture(0L);
	}

	@Override
	public String address() {
		return "here";
	}

	@Override
	public CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease) {
		return call(Command.ACQUIRE, key, owner, "recall", lease);
	}

	@Override
	public CompletionStage<?> answerBusy(Recall recall) {
		return call(Command.ANSWER_BUSY, recall.key(), recall.asking(), recall.replyTo(), Duration.ZERO);
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return this.takesTogether;
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		List<Attempt> attempts = requests.stream().map(Attempt::new).toList();
		this.together.add(attempts);
		CompletableFuture<?>[] results = attempts.stream().map(Attempt::result).toArray(CompletableFuture<?>[]::new);
		return CompletableFuture.allOf(results).thenApply((all) -> {
			Map<String, Acquisition> answers = new HashMap<>();
			attempts.forEach((attempt) -> answers.put(attempt.key(), attempt.result().join()));
			return answers;
		});
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return call(Command.RELEASE, key, owner, "", Duration.ZERO);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return call(Command.EXTEND, key, owner, "", lease);
	}

	@Override
	public List<CompletionStage<Boolean>> extendAll(List<LeaseRequest> requests) {
		this.batches.add(requests.size());
		return SharingLockStore.super.extendAll(requests);
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return call(Command.KEEP, key, owner, "", rest);
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return call(Command.IS_LOCKED, key, "", "", Duration.ZERO);
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		this.inbox = inbox;
		return call(Command.SUBSCRIBE, "", "", "", Duration.ZERO);
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return call(Command.ENQUEUE, key, owner, fair ? "fair" : "", lease);
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return call(Command.WITHDRAW, key, owner, "", Duration.ZERO);
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return call(Command.TRANSFER, key, owner, successor, lease);
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return call(Command.YIELD_TURN, key, owner, next, lease);
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return call(Command.ACQUIRE_SHARED, key, owner, Integer.toString(permits), lease);
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return call(Command.ENQUEUE_SHARED, key, owner, Integer.toString(permits), lease);
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return call(Command.DOWNGRADE, key, owner, successor, lease);
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return call(Command.IS_SHARED, key, "", "", Duration.ZERO);
	}

	@Override
	public CompletionStage<StoredLock> look(String key) {
		return call(Command.LOOK, key, "", "", Duration.ZERO);
	}

	@Override
	public void close() {
		call(Command.CLOSE, "", "", "", Duration.ZERO);
	}

	@SuppressWarnings("unchecked")
	private <T> CompletionStage<T> call(Command command, String key, String owner, String other, Duration lease) {
		this.interruptions.getOrDefault(command, () -> {
		}).run();
		Call call = new Call(command, key, owner, other, lease, this.lastToken, new CompletableFuture<>());
		Consumer<Call> answer;
		this.mutex.lock();
		try {
			this.calls.add(call);
			this.untaken.add(call);
			this.called.signalAll();
			answer = this.answers.get(command);
		}
		finally {
			this.mutex.unlock();
		}
		if (answer != null) {
			answer.accept(call);
		}
		return (CompletionStage<T>) call.answer();
	}

	enum Command {

		ACQUIRE, ENQUEUE, RELEASE, WITHDRAW, EXTEND, TRANSFER, YIELD_TURN, SUBSCRIBE, IS_LOCKED, CLOSE, ACQUIRE_SHARED,
		ENQUEUE_SHARED, DOWNGRADE, IS_SHARED, KEEP, LOOK, ANSWER_BUSY, CONNECT

	}

	/**
	 * A command that the engine has sent.
	 *
	 * @param command the command
	 * @param key the key
	 * @param owner the owner token
	 * @param other the further argument: a successor, the next owner of a turn, a flag,
	 * an address or a number of permits
	 * @param lease the lease
	 * @param lastToken the last reserved fencing token
	 * @param answer completed by the test
	 */
	record Call(Command command, String key, String owner, String other, Duration lease, AtomicLong lastToken,
			CompletableFuture<Object> answer) {

		/**
		 * Grants ten tokens.
		 * @param token the first one
		 */
		void grant(long token) {
			grant(token, false);
		}

		void grant(long token, boolean othersWaiting) {
			this.answer.complete(granted(token, othersWaiting));
		}

		Granted granted(long token, boolean othersWaiting) {
			this.lastToken.accumulateAndGet(token + 9, Math::max);
			return new Granted(token, token + 9, othersWaiting, 0);
		}

		void refuse(Duration remaining) {
			this.answer.complete(refusal(remaining));
		}

		/**
		 * Refuses, and reports that the lock was recalled from its holder.
		 * @param remaining the holder's remaining lease
		 */
		void recall(Duration remaining) {
			this.answer.complete(new Refused(remaining, this.lastToken.get(), true));
		}

		Refused refusal(Duration remaining) {
			return new Refused(remaining, this.lastToken.get());
		}

		void say(Object value) {
			this.answer.complete(value);
		}

		void fail(boolean retryable) {
			this.answer.completeExceptionally(new LockStoreException("The server is away", null, retryable));
		}

		void dismiss() {
			switch (this.command) {
				case ACQUIRE, ENQUEUE, TRANSFER, ACQUIRE_SHARED, ENQUEUE_SHARED, DOWNGRADE -> refuse(Duration.ZERO);
				case YIELD_TURN -> say(new Yielded(true, new Refused(Duration.ZERO)));
				case LOOK -> say(new StoredLock(List.of(), false, 0));
				default -> say(true);
			}
		}

	}

	/**
	 * One of several keys that one command requests.
	 *
	 * @param request the lock
	 * @param result completed by the test; the command is answered when all are
	 */
	record Attempt(LeaseRequest request, CompletableFuture<Acquisition> result) {

		Attempt(LeaseRequest request) {
			this(request, new CompletableFuture<>());
		}

		String key() {
			return this.request.key();
		}

		String owner() {
			return this.request.owner();
		}

		Duration lease() {
			return this.request.lease();
		}

	}

}
