package io.lockable.engine.shell;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockEvent;
import io.lockable.LockEvent.HandOff;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition;
import io.lockable.store.LockStore.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition in the shell of its key: of a thread, or with a future.
 *
 * <p>
 * Only the thread that removes an acquisition from its {@link KeyShell} completes its
 * outcome. A grant and a timeout therefore never both happen, and no notification is
 * lost.
 */
public final class PendingAcquisition {

	private final String key;

	private final LockMode mode;

	private final Caller caller;

	private final @Nullable Batch batch;

	private Request request;

	private final long startedAt;

	private final EngineParts parts;

	private final CompletableFuture<@Nullable LocalLease> outcome = new CompletableFuture<>();

	private final FlightRecorder.@Nullable Recording recording;

	// The failure that replaces the cancellation.
	private volatile @Nullable LockException deadlock;

	// The holders of the key before this acquisition. Guarded by the mutex of its shell.
	private int holdersBefore;

	/**
	 * Creates an acquisition of the calling thread.
	 * @param key the full name of the lock
	 * @param owner the owner token of the acquisition
	 * @param mode the requested part of the lock
	 * @param options the options of the acquisition
	 * @param batch the try for several keys that includes this one, or {@code null}
	 * @param blocking whether the thread waits for the outcome
	 * @param parts the parts that all keys share
	 */
	public PendingAcquisition(String key, String owner, LockMode mode, LockOptions options, @Nullable Batch batch,
			boolean blocking, EngineParts parts) {
		this.key = key;
		this.mode = mode;
		this.batch = batch;
		this.parts = parts;
		this.startedAt = parts.now();
		this.recording = parts.recorder().startWait();
		LockOptions ofCall = (batch != null) ? batch.options() : options;
		this.caller = new Caller(owner, options, parts.notifier().acquiring(key, owner, ofCall), Thread.currentThread(),
				blocking);
		this.request = request(this.startedAt);
	}

	private Request request(long now) {
		LockOptions options = this.caller.options();
		return new Request(this.caller.owner(), options.lease(), !options.waitTime().isZero(),
				Deadline.after(now, options.waitTime()), this.batch != null, options.retain());
	}

	/**
	 * Starts the wait now, after the store has been opened. Called before the acquisition
	 * enters a shell.
	 */
	public void opened() {
		this.request = request(this.parts.now());
	}

	/**
	 * Cancels an acquisition that has not entered a shell.
	 */
	public void cancel() {
		complete(new Outcome.Cancelled());
		recordWait();
	}

	public String owner() {
		return this.request.owner();
	}

	Request request() {
		return this.request;
	}

	LockMode mode() {
		return this.mode;
	}

	public LockOptions options() {
		return this.caller.options();
	}

	/**
	 * Returns the try for several keys that includes this one.
	 * @return the try, or {@code null}
	 */
	@Nullable Batch batch() {
		return this.batch;
	}

	/**
	 * Returns whether the acquisition waits for a holder, or tries once.
	 * @return whether there is a wait time
	 */
	public boolean isPatient() {
		return this.request.patient();
	}

	public long deadline() {
		return this.request.deadline();
	}

	public String key() {
		return this.key;
	}

	/**
	 * Returns the thread that waits for the outcome.
	 * @return the thread, or {@code null} for an asynchronous acquisition
	 */
	public @Nullable Thread waitingThread() {
		return this.caller.blocking() ? this.caller.thread() : null;
	}

	/**
	 * Returns the maximum number of holders of the lock.
	 * @return the number; 0 for the exclusive lock
	 */
	public int permits() {
		return this.mode.permits();
	}

	public long startedAt() {
		return this.startedAt;
	}

	/**
	 * Returns the name of the caller.
	 * @return the name, for messages
	 */
	public String callerName() {
		return this.caller.name();
	}

	Caller caller() {
		return this.caller;
	}

	void enteredAfter(int holders) {
		this.holdersBefore = holders;
	}

	boolean hasWaitedFor(int holders) {
		return this.holdersBefore != holders;
	}

	// Outcomes. Followers are notified before the call returns. Even an error of the
	// notification must not keep the acquirer waiting.

	void give(LocalLease lease, HandOff handOff) {
		try {
			decide(new LockEvent.Acquired(this.key, options().name(), lease.fencingToken(), waited(), handOff));
		}
		finally {
			this.outcome.complete(lease);
		}
	}

	void complete(Outcome decided) {
		LockException broken = this.deadlock;
		Outcome result = (decided instanceof Outcome.Cancelled && broken != null) ? new Outcome.Failed(broken)
				: decided;
		LockException failure = (result instanceof Outcome.Failed failed) ? failed.failure() : null;
		boolean cancelled = result instanceof Outcome.Cancelled;
		try {
			if (result instanceof Outcome.RetryAlone && this.batch != null) {
				this.batch.tryAgain();
			}
			decide(event(failure, cancelled));
		}
		finally {
			if (cancelled) {
				this.outcome.cancel(false);
			}
			else {
				StoreAccess.<@Nullable LocalLease>complete(this.outcome, null, failure);
			}
		}
	}

	private void decide(LockEvent event) {
		if (this.recording != null) {
			this.recording.endedBy(event);
			if (!this.caller.blocking() || this.batch != null) {
				this.recording.record(this.caller);
			}
		}
		this.caller.events().accept(event);
	}

	/**
	 * Records the wait, if waits are recorded. Called by the waiting thread after the
	 * outcome.
	 */
	public void recordWait() {
		if (this.recording != null) {
			this.recording.record(this.caller);
		}
	}

	void deadlocked(LockException failure) {
		this.deadlock = failure;
	}

	void fail(LockException failure) {
		complete(new Outcome.Failed(failure));
	}

	private LockEvent event(@Nullable LockException failure, boolean cancelled) {
		if (cancelled || isTriedAgain(failure)) {
			return new LockEvent.Cancelled(this.key, options().name(), waited());
		}
		if (failure != null && !(failure instanceof LockNotAcquiredException)) {
			return new LockEvent.Failed(this.key, options().name(), waited(), failure);
		}
		boolean timedOut = isPatient() || (this.batch != null && !this.batch.options().waitTime().isZero());
		return new LockEvent.Refused(this.key, options().name(), waited(), timedOut);
	}

	private boolean isTriedAgain(@Nullable LockException failure) {
		boolean possible = failure == null || (failure instanceof LockStoreException store && store.isRetryable());
		return possible && this.batch != null && this.batch.isTriedAgain();
	}

	private Duration waited() {
		return Duration.ofNanos(Math.max(0, this.parts.now() - this.startedAt));
	}

	/**
	 * Returns the outcome: a lease, {@code null} if another owner kept the lock, or a
	 * {@link io.lockable.LockException}.
	 * @return the outcome
	 */
	public CompletableFuture<@Nullable LocalLease> outcome() {
		return this.outcome;
	}

	/**
	 * One try for several keys, as the acquisition of one of them sees it. Thread-safe.
	 */
	public interface Batch {

		/**
		 * Returns the options of the call.
		 * @return the options, with the rest of its wait time
		 */
		LockOptions options();

		/**
		 * Receives the command for one key instead of the store.
		 * @param request the lock to acquire
		 * @return its answer, {@code null} if it was not sent
		 */
		CompletionStage<@Nullable Acquisition> offer(LeaseRequest request);

		/**
		 * Returns whether the call requests one key after the other after an incomplete
		 * try. Decided once, so that the events of this try agree with the caller's next
		 * step.
		 * @return {@code false} if this try decides
		 */
		boolean isTriedAgain();

		/**
		 * Lets the call request one key after the other, unless {@link #isTriedAgain} has
		 * already decided otherwise.
		 */
		void tryAgain();

	}

}
