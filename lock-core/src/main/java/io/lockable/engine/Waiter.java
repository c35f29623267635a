package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockable.LockAcquired;
import io.lockable.LockCancelled;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockFailed;
import io.lockable.LockOptions;
import io.lockable.LockRefused;
import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * One acquirer in the queue of its key: a thread, or a future that somebody holds.
 *
 * <p>
 * Whoever removes a waiter from its {@link LockQueue} completes its outcome, and nobody
 * else does: so a grant and a give-up never both happen, and no wake-up is swallowed.
 */
final class Waiter {

	private final String key;

	private final String owner;

	private final Claim claim;

	private final LockOptions options;

	private final @Nullable Together together;

	private final boolean patient;

	private final long deadline;

	private final long startedAt;

	private final LockQueues queues;

	private final Consumer<LockEvent> events;

	private final Thread thread;

	private final boolean blocking;

	private final CompletableFuture<@Nullable HeldLease> outcome = new CompletableFuture<>();

	private Waiter(String key, String owner, Claim claim, LockOptions options, @Nullable Together together,
			LockQueues queues, boolean blocking) {
		this.key = key;
		this.owner = owner;
		this.claim = claim;
		this.options = options;
		this.together = together;
		this.patient = !options.waitTime().isZero();
		this.queues = queues;
		this.startedAt = queues.now();
		this.deadline = Deadline.after(this.startedAt, options.waitTime());
		this.events = queues.notifier().acquiring(key, owner, options);
		this.thread = Thread.currentThread();
		this.blocking = blocking;
	}

	/**
	 * Creates a waiter for the calling thread.
	 * @param key the full name of the lock
	 * @param owner the owner token of the acquisition
	 * @param claim how much of the lock it wants
	 * @param options the options of the acquisition
	 * @param queues the queues of the instance
	 * @return the waiter
	 */
	static Waiter ofThread(String key, String owner, Claim claim, LockOptions options, LockQueues queues) {
		return new Waiter(key, owner, claim, options, null, queues, true);
	}

	/**
	 * Creates a waiter for a future.
	 * @param key the full name of the lock
	 * @param owner the owner token of the acquisition
	 * @param claim how much of the lock it wants
	 * @param options the options of the acquisition
	 * @param queues the queues of the instance
	 * @return the waiter
	 */
	static Waiter ofFuture(String key, String owner, Claim claim, LockOptions options, LockQueues queues) {
		return new Waiter(key, owner, claim, options, null, queues, false);
	}

	/**
	 * Creates a waiter for one of several keys.
	 * @param key the full name of the lock
	 * @param owner the owner token of the acquisition
	 * @param options the options of the acquisition
	 * @param together the try for several keys that this is a part of
	 * @param queues the queues of the instance
	 * @return the waiter
	 */
	static Waiter ofSeveral(String key, String owner, LockOptions options, Together together, LockQueues queues) {
		return new Waiter(key, owner, Claim.ALL, options, together, queues, true);
	}

	String owner() {
		return this.owner;
	}

	Claim claim() {
		return this.claim;
	}

	LockOptions options() {
		return this.options;
	}

	/**
	 * Returns the try for several keys that this one is a part of.
	 * @return the try, or {@code null}
	 */
	@Nullable Together together() {
		return this.together;
	}

	/**
	 * Returns whether the waiter waits for a holder at all, or tries once.
	 * @return whether there is a time to wait
	 */
	boolean isPatient() {
		return this.patient;
	}

	long deadline() {
		return this.deadline;
	}

	boolean isOver(long now) {
		return this.deadline - now <= 0;
	}

	long startedAt() {
		return this.startedAt;
	}

	/**
	 * Returns what to call the thread that asked.
	 * @return its name, of one that does not wait after {@code async}
	 */
	String thread() {
		// As a rule virtual threads have no name
		String name = this.thread.getName().isEmpty() ? this.thread.toString() : this.thread.getName();
		return this.blocking ? name : "async, " + name;
	}

	/**
	 * Returns what takes the events of the acquisition.
	 * @return takes them, on any thread
	 */
	Consumer<LockEvent> events() {
		return this.events;
	}

	// Outcomes; the observer is notified first, so that it is before the caller goes on

	void give(HeldLease lease) {
		if (this.queues.notifier().isForAll()) {
			this.events.accept(new LockAcquired(this.key, this.options.name(), lease.fencingToken(), waited()));
		}
		this.outcome.complete(lease);
	}

	void refuse() {
		if (isTriedAgain()) {
			tellCancelled();
		}
		else {
			boolean timedOut = this.patient || (this.together != null && this.together.isPatient());
			this.events.accept(new LockRefused(this.key, this.options.name(), waited(), timedOut));
		}
		this.outcome.complete(null);
	}

	/**
	 * Refuses a part of a try for several keys, which then goes on one key after the
	 * other.
	 */
	void tryOneByOne() {
		if (this.together != null) {
			this.together.goOn();
		}
		refuse();
	}

	private boolean isTriedAgain() {
		return this.together != null && this.together.goesOn();
	}

	void cancel() {
		tellCancelled();
		this.outcome.cancel(false);
	}

	void fail(LockException failure) {
		boolean retryable = failure instanceof LockStoreException store && store.isRetryable();
		if (retryable && isTriedAgain()) {
			tellCancelled();
		}
		else {
			this.events.accept(new LockFailed(this.key, this.options.name(), waited(), failure));
		}
		this.outcome.completeExceptionally(failure);
	}

	private void tellCancelled() {
		this.events.accept(new LockCancelled(this.key, this.options.name(), waited()));
	}

	private Duration waited() {
		return Duration.ofNanos(Math.max(0, this.queues.now() - this.startedAt));
	}

	/**
	 * Returns the outcome: a lease; {@code null} when the lock stayed with somebody else;
	 * or a {@link io.lockable.LockException}.
	 * @return the outcome
	 */
	CompletableFuture<@Nullable HeldLease> outcome() {
		return this.outcome;
	}

}
