package io.lockable.engine.shell;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of a holder, and its events. Its {@link KeyShell} decides under its mutex
 * whether the lease still holds the lock. The local deadline can only end the lease
 * earlier.
 *
 * <p>
 * Thread-safe.
 */
public final class LocalLease implements Lease {

	private static final Logger log = LoggerFactory.getLogger(LocalLease.class);

	private static final Map<LockLost.Reason, String> REASONS = Map.of(LockLost.Reason.EXPIRED,
			"its lease expired before the release", LockLost.Reason.NOT_OWNED, "the store has another owner or none",
			LockLost.Reason.MAX_HOLD, "it reached the limit of 'maxHold'", LockLost.Reason.SHUTDOWN,
			"the application stopped before the release", LockLost.Reason.FORCED, "it was released by force");

	private final LeaseHome home;

	private final EngineParts parts;

	private final Caller caller;

	private final long fencingToken;

	private final LeaseTimes times;

	private final AtomicReference<@Nullable Release> release = new AtomicReference<>();

	private final CompletableFuture<LockLost> lost = new CompletableFuture<>();

	// Set once.
	private final AtomicReference<@Nullable Loss> loss = new AtomicReference<>();

	private volatile long renewals;

	// The time of the last report of a failed renewal.
	private volatile @Nullable Long renewalFailedAt;

	private final FlightRecorder.@Nullable Recording recording;

	private volatile int holdCount = 1;

	// The thread that holds the lock, unless the lease is a handle.
	private volatile @Nullable Thread thread;

	LocalLease(LeaseHome home, Caller caller, long fencingToken, long deadline, EngineParts parts) {
		this.home = home;
		this.parts = parts;
		this.caller = caller;
		this.fencingToken = fencingToken;
		this.times = new LeaseTimes(caller.options(), deadline, parts.now(), parts.timer());
		this.recording = parts.recorder().startHold();
	}

	@Override
	public String key() {
		return this.home.key();
	}

	@Override
	public String owner() {
		return this.caller.owner();
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !isEnded() && !this.times.isOver(this.parts.now());
	}

	@Override
	public Duration remaining() {
		return isEnded() ? Duration.ZERO : this.times.remaining(this.parts.now());
	}

	@Override
	public boolean extend(Duration lease) {
		LeaseTimes.checkExtension(lease);
		return awaitExtension(sendExtension(lease, Runnable::run), this.parts.store().answerDeadline());
	}

	/**
	 * Sends an extension without waiting for the answer, after the transfer in flight.
	 * Several extensions can be in flight together.
	 * @param lease the new lease, from its sending on
	 * @param sender the executor that sends the extension
	 * @return the answer; {@code false} if the lease is over
	 */
	public CompletionStage<Boolean> sendExtension(Duration lease, Executor sender) {
		CompletableFuture<Boolean> extended = new CompletableFuture<>();
		sendExtension(lease, sender, extended);
		return extended;
	}

	private void sendExtension(Duration lease, Executor sender, CompletableFuture<Boolean> extended) {
		ExtendCommand command = isHeld() ? extending(lease) : null;
		if (command != null) {
			command.applied().whenComplete((held, failure) -> StoreAccess.complete(extended, held, failure));
			sender.execute(() -> this.parts.store().extendAll(List.of(command)));
		}
		else if (isHeld()) {
			Executor later = this.parts.store()::dispatch;
			this.home.afterTransfer(owner(), () -> sendExtension(lease, later, extended));
		}
		else {
			extended.complete(false);
		}
	}

	@Nullable ExtendCommand extending(Duration lease) {
		return this.home.extend(owner(), lease);
	}

	/**
	 * Waits until the server knows the owner token, if a transfer within this instance is
	 * in flight.
	 * @param deadline the end of the wait
	 * @throws LockStoreException if the store failed or did not answer in time
	 */
	public void awaitTransfer(long deadline) {
		if (isHeld()) {
			CompletableFuture<Boolean> transferred = new CompletableFuture<>();
			this.home.afterTransfer(owner(), () -> transferred.complete(true));
			this.parts.store().await(transferred, key(), deadline);
		}
	}

	/**
	 * Waits for the answer to an extension.
	 * @param sent the answer
	 * @param deadline the end of the wait
	 * @return whether the lock is held
	 * @throws LockStoreException if the store failed or did not answer in time
	 */
	public boolean awaitExtension(CompletionStage<Boolean> sent, long deadline) {
		return this.parts.store().await(sent, key(), deadline) && isHeld();
	}

	@Override
	public CompletionStage<LockLost> lost() {
		return this.lost.minimalCompletionStage();
	}

	@Override
	public boolean release() {
		Release begun = begin();
		Release started = start(begun);
		if (started == null) {
			started = begun;
			this.home.release(owner(), started.keptUntil, started);
		}
		if (this.caller.options().release() == ReleaseMode.PIPELINED) {
			awaitIfOvertaken(started);
			return started.held;
		}
		return this.parts.store().await(started.outcome, key(), started.deadline);
	}

	// The next command of the thread must not overtake the release.
	private void awaitIfOvertaken(Release started) {
		if (!this.parts.store().isOrdered()) {
			try {
				this.parts.store().await(started.outcome, key(), started.deadline);
			}
			catch (LockStoreException ex) {
				log.debug("Failed to release lock '{}'", LogSafe.of(key()), LogSafe.of(ex));
			}
		}
	}

	@Override
	public boolean releaseAfter(Duration rest) {
		LeaseTimes.checkRest(rest);
		stayLocked(rest);
		return release();
	}

	private void stayLocked(Duration rest) {
		if (!isReleased()) {
			this.times.holdAtLeastUntil(Deadline.after(this.parts.now(), rest));
		}
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return dispatchRelease().outcome.minimalCompletionStage();
	}

	@Override
	public CompletionStage<Boolean> releaseAfterAsync(Duration rest) {
		LeaseTimes.checkRest(rest);
		stayLocked(rest);
		return dispatchRelease().outcome.minimalCompletionStage();
	}

	/**
	 * Sends the release without waiting for the answer, so that several releases can be
	 * in flight together. {@link #release} then waits for the answer. Does not block.
	 * @param rest the time for which the lock stays locked, or {@code null} for that of
	 * the options
	 */
	public void sendRelease(@Nullable Duration rest) {
		if (rest != null) {
			stayLocked(rest);
		}
		dispatchRelease();
	}

	@Override
	public void close() {
		try {
			release();
		}
		catch (LockStoreException ex) {
			log.warn("Failed to release lock '{}'; the release is retried until its lease expires", LogSafe.of(key()),
					ex);
		}
	}

	private Release dispatchRelease() {
		Release begun = begin();
		Release earlier = start(begun);
		if (earlier != null) {
			return earlier;
		}
		this.parts.store().dispatch(() -> this.home.release(owner(), begun.keptUntil, begun));
		return begun;
	}

	/**
	 * Starts the release, unless another one has started.
	 * @return that other release, or {@code null}
	 */
	private @Nullable Release start(Release begun) {
		// First, because an error must not leave a release that has started and is not
		// sent.
		if (this.recording != null && !isReleased()) {
			recordHold(releasedEvent(begun.held));
		}
		return this.release.compareAndExchange(null, begun);
	}

	private void recordHold(LockEvent end) {
		if (this.recording != null) {
			this.recording.endedBy(end);
			this.recording.record(this.caller);
		}
	}

	private LockEvent.Released releasedEvent(boolean ours) {
		return new LockEvent.Released(key(), options().name(), this.fencingToken, this.times.held(this.parts.now()),
				ours);
	}

	private Release begin() {
		long now = this.parts.now();
		boolean held = !isLost() && !this.times.isOver(now);
		return new Release(held, this.times.keptUntil(now));
	}

	/**
	 * Starts an exchange, which replaces the release: a later release has no effect.
	 * @return the future of the outcome, or {@code null} if the lease is released already
	 */
	public @Nullable CompletableFuture<Boolean> startExchange() {
		Release started = new Release(true, null);
		return (start(started) == null) ? started.outcome : null;
	}

	/**
	 * Ends an exchange.
	 * @param exchanged the exchange
	 * @param loss the reason of a loss, or {@code null} if the successor has the lock
	 */
	public void endExchange(CompletableFuture<Boolean> exchanged, LockLost.@Nullable Reason loss) {
		if (loss != null) {
			lost(loss);
		}
		notifyReleased(loss == null);
		exchanged.complete(loss == null);
	}

	/**
	 * Leaves the key and keeps the owner token, for an exchange, as soon as the server
	 * certainly knows that token.
	 * @return completes with whether the lease held the lock
	 */
	public CompletableFuture<Boolean> dismiss() {
		return this.home.dismiss(owner());
	}

	/**
	 * Removes the owner token from the server after an exchange that failed.
	 */
	public void abandon() {
		Duration rest = this.times.remaining(this.parts.now());
		Duration full = options().lease();
		this.home.abandon(owner(), (rest.compareTo(full) > 0) ? rest : full);
	}

	private void notifyReleased(boolean ours) {
		LockEvent.Released event = releasedEvent(ours);
		Loss known = this.loss.get();
		if (known != null) {
			// A loss is known before its event is sent, which comes first.
			known.notified().thenRun(() -> this.caller.events().accept(event));
		}
		else {
			this.caller.events().accept(event);
		}
	}

	// Called by one thread at a time.
	@SuppressWarnings("NonAtomicVolatileUpdate")
	void renewed(long lag) {
		this.renewals++;
		this.caller.events()
			.accept(new LockEvent.Renewed(key(), options().name(), this.fencingToken,
					Duration.ofNanos(Math.max(0, lag))));
	}

	/**
	 * Reports a failed renewal, at most once for each renewal period, because retries
	 * follow several times a second.
	 * @param failure the failure
	 */
	void renewalFailed(Throwable failure) {
		long now = this.parts.now();
		Long reportedAt = this.renewalFailedAt;
		if (!isEnded() && (reportedAt == null || now - reportedAt >= this.times.terms().lease().toNanos() / 3)) {
			this.renewalFailedAt = now;
			this.caller.events()
				.accept(new LockEvent.RenewalFailed(key(), options().name(), this.fencingToken, remaining(), failure));
		}
	}

	/**
	 * Records that the current thread holds the lock. No other thread can release it.
	 */
	public void ownedByThread() {
		this.thread = Thread.currentThread();
	}

	/**
	 * Records that no thread holds the lock: the lease is a handle.
	 */
	public void ownedByNoThread() {
		this.thread = null;
	}

	/**
	 * Releases the lock if the thread that holds it has ended.
	 * @return whether it has
	 */
	boolean releaseIfThreadEnded() {
		Thread owning = this.thread;
		if (owning == null || owning.isAlive()) {
			return false;
		}
		if (!isReleased()) {
			dispatchRelease();
			log.warn("Thread '{}' ended without releasing lock '{}'. The lock is released now", Caller.nameOf(owning),
					LogSafe.of(key()));
		}
		return true;
	}

	/**
	 * Records the hold count of the thread that holds the lock, for inspection.
	 * @param count the number of acquisitions that are not released
	 */
	public void entered(int count) {
		this.holdCount = count;
	}

	public int holdCount() {
		return this.holdCount;
	}

	public long now() {
		return this.parts.now();
	}

	/**
	 * Returns the name of the caller that acquired the lease.
	 * @return the name, for messages
	 */
	public String callerName() {
		return this.caller.name();
	}

	/**
	 * Returns the thread that holds the lock.
	 * @return the thread, or {@code null} for a handle, which belongs to no thread
	 */
	public @Nullable Thread holder() {
		return this.thread;
	}

	public long renewals() {
		return this.renewals;
	}

	public LockOptions options() {
		return this.caller.options();
	}

	public LeaseTimes times() {
		return this.times;
	}

	public boolean isReleased() {
		return this.release.get() != null;
	}

	/**
	 * Returns the reason of the loss, for messages.
	 * @return the reason
	 */
	public String reasonOfLoss() {
		Loss known = this.loss.get();
		return (known != null) ? Objects.requireNonNull(REASONS.get(known.reason())) : "its lease expired";
	}

	public boolean isLost() {
		return this.loss.get() != null;
	}

	/**
	 * Ends the lease if its local deadline has passed.
	 */
	public void expire() {
		this.home.post(new KeyEvent.Due());
	}

	/**
	 * Asks the store whether the lease is still held, by an extension to its remaining
	 * time.
	 */
	public void verify() {
		ExtendCommand question = extending(
				Duration.ofMillis(Math.max(1, this.times.remaining(this.parts.now()).toMillis())));
		if (question != null) {
			this.parts.store().dispatchRenewal(() -> this.parts.store().extendAll(List.of(question)));
		}
	}

	/**
	 * Ends the lease because the engine shuts down.
	 */
	public void shutDown() {
		this.home.post(new KeyEvent.ShutDown(owner()));
	}

	/**
	 * Reports the loss of the lease once.
	 */
	private void lost(LockLost.Reason detected) {
		losing(detected).run();
	}

	/**
	 * Records the loss of the lease, so that its reason is fixed before it is reported.
	 * The first reason stays.
	 * @param newReason the way in which the loss was detected
	 * @return notifies the holder
	 */
	Runnable losing(LockLost.Reason newReason) {
		Loss detected = new Loss(newReason, new CompletableFuture<>());
		return this.loss.compareAndSet(null, detected) ? () -> notifyLost(detected) : () -> {
		};
	}

	private void notifyLost(Loss known) {
		String name = options().name();
		LockLost event = new LockLost(key(), name, this.fencingToken, known.reason());
		log.warn("Lock '{}'{} is lost: {}. Work done under it may overlap with another owner's", LogSafe.of(key()),
				name.equals(LockOptions.NO_NAME) ? "" : " (" + name + ")", REASONS.get(known.reason()));
		recordHold(event);
		this.parts.runtime().execute(Work.CALLBACK, () -> this.lost.complete(event));
		try {
			this.caller.events().accept(event);
		}
		finally {
			known.notified().complete(true);
		}
	}

	private boolean isEnded() {
		return isReleased() || isLost();
	}

	/**
	 * The loss of a lease.
	 *
	 * @param reason the way in which it was detected
	 * @param notified completed after the event of the loss
	 */
	private record Loss(LockLost.Reason reason, CompletableFuture<Boolean> notified) {

	}

	/**
	 * The one release of a lease.
	 */
	private final class Release extends ReleaseAnswer {

		// Whether the server still had the lock for this lease.
		private final CompletableFuture<Boolean> outcome = new CompletableFuture<>();

		// Whether the lease was held locally when the release was sent.
		private final boolean held;

		private final long deadline = LocalLease.this.parts.store().answerDeadline();

		private final @Nullable Long keptUntil;

		Release(boolean held, @Nullable Long keptUntil) {
			this.held = held;
			this.keptUntil = keptUntil;
		}

		@Override
		void ended(boolean ours, @Nullable LockStoreException failure) {
			try {
				if (failure != null) {
					LocalLease.this.caller.events()
						.accept(new LockEvent.ReleaseFailed(key(), options().name(), LocalLease.this.fencingToken,
								failure));
				}
				else {
					if (!ours) {
						lost(LockLost.Reason.NOT_OWNED);
					}
					notifyReleased(ours);
				}
			}
			finally {
				StoreAccess.complete(this.outcome, ours, failure);
			}
		}

	}

}
