package io.lockable.engine.shell;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.runtime.Deadline;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of a holder. Its {@link KeyShell} decides under its mutex whether the lease
 * still holds the lock. The local deadline can only end the lease earlier.
 */
public final class LocalLease implements Lease {

	private static final Logger log = LoggerFactory.getLogger(LocalLease.class);

	private final LeaseHome home;

	private final EngineParts parts;

	private final Caller caller;

	private final long fencingToken;

	private final LeaseTimes times;

	private final LeaseReports reports;

	private final AtomicReference<@Nullable Release> release = new AtomicReference<>();

	private volatile int holdCount = 1;

	// The thread that holds the lock, unless the lease is a handle.
	private volatile @Nullable Thread thread;

	LocalLease(LeaseHome home, Caller caller, long fencingToken, long deadline, EngineParts parts) {
		this.home = home;
		this.parts = parts;
		this.caller = caller;
		this.fencingToken = fencingToken;
		this.times = new LeaseTimes(caller.options(), deadline, parts.now(), parts.timer());
		this.reports = new LeaseReports(home.key(), caller, fencingToken, parts);
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
		return awaitExtension(sendExtension(lease, Runnable::run), lease, this.parts.store().answerDeadline());
	}

	/**
	 * Sends an extension without waiting for the answer. Several extensions can be in
	 * flight together.
	 * @param lease the new lease, from now
	 * @param sender the executor that sends the extension
	 * @return the answer, or {@code null} if the lease is over or a transfer is in flight
	 */
	public @Nullable CompletionStage<Boolean> sendExtension(Duration lease, Executor sender) {
		ExtendCommand extending = isHeld() ? extending(lease) : null;
		if (extending == null) {
			return null;
		}
		sender.execute(() -> this.parts.store().extend(extending));
		return extending.applied();
	}

	@Nullable ExtendCommand extending(Duration lease) {
		return this.home.extend(owner(), lease);
	}

	/**
	 * Waits for the answer to an extension. Sends the extension if it is not in flight.
	 * @param sent the answer, or {@code null} if the extension is not in flight
	 * @param lease the new lease, from now
	 * @param deadline the end of the wait
	 * @return whether the lock is held
	 * @throws LockStoreException if the store failed or did not answer in time
	 */
	public boolean awaitExtension(@Nullable CompletionStage<Boolean> sent, Duration lease, long deadline) {
		CompletionStage<Boolean> answer = sent;
		while (answer == null && isHeld()) {
			this.parts.store().pause(key(), deadline);
			answer = sendExtension(lease, Runnable::run);
		}
		return answer != null && this.parts.store().await(answer, key(), deadline) && isHeld();
	}

	@Override
	public CompletionStage<LockLost> lost() {
		return this.reports.lost();
	}

	@Override
	public boolean release() {
		Release started = start();
		if (started.isFirst()) {
			follow(started, this.home.release(owner(), started.keptUntil()));
		}
		if (this.caller.options().release() == ReleaseMode.PIPELINED) {
			return started.held();
		}
		return this.parts.store().await(started.outcome(), key(), started.deadline());
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
		return dispatchRelease().outcome().minimalCompletionStage();
	}

	@Override
	public CompletionStage<Boolean> releaseAfterAsync(Duration rest) {
		LeaseTimes.checkRest(rest);
		stayLocked(rest);
		return dispatchRelease().outcome().minimalCompletionStage();
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
		Release started = start();
		if (started.isFirst()) {
			this.parts.store().dispatch(() -> follow(started, this.home.release(owner(), started.keptUntil())));
		}
		return started;
	}

	/**
	 * Records the release. The caller that receives the first one sends it.
	 */
	private Release start() {
		long now = this.parts.now();
		Long keptUntil = this.times.isHeldLongEnough(now) ? null : this.times.heldUntilAtLeast();
		boolean held = !isLost() && !this.times.isOver(now);
		Release started = new Release(new CompletableFuture<>(), held, this.parts.store().answerDeadline(), keptUntil,
				true);
		Release earlier = this.release.compareAndExchange(null, started);
		return (earlier != null) ? earlier.repeated() : started;
	}

	private void follow(Release started, CompletionStage<Boolean> answer) {
		answer.whenComplete((ours, failure) -> {
			if (failure != null) {
				this.reports.releaseFailed(failure);
				started.outcome().completeExceptionally(failure);
			}
			else {
				if (!ours) {
					lost(LockLost.Reason.NOT_OWNED);
				}
				notifyReleased(ours);
				started.outcome().complete(ours);
			}
		});
	}

	/**
	 * Starts an exchange, which replaces the release: a later release has no effect.
	 * @return the future of the outcome, or {@code null} if the lease is released already
	 */
	public @Nullable CompletableFuture<Boolean> startExchange() {
		CompletableFuture<Boolean> exchanged = new CompletableFuture<>();
		Release started = new Release(exchanged, true, this.parts.store().answerDeadline(), null, true);
		return this.release.compareAndSet(null, started) ? exchanged : null;
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
		this.reports.released(this.times.held(this.parts.now()), ours);
	}

	void renewed(long lag) {
		this.reports.renewed(lag);
	}

	/**
	 * Reports a failed renewal once for each renewal period, because the renewal is
	 * retried several times a second.
	 * @param failure the failure
	 */
	void renewalFailed(Throwable failure) {
		if (isEnded()) {
			return;
		}
		this.reports.renewalFailed(failure, remaining(), this.times.terms().lease());
	}

	/**
	 * Records that the current thread holds the lock. No other thread can release it.
	 */
	public void ownedByThread() {
		this.thread = Thread.currentThread();
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
		if (dispatchRelease().isFirst()) {
			this.reports.threadEnded(owning);
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

	public long renewals() {
		return this.reports.renewals();
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
		return this.reports.reasonOfLoss();
	}

	public boolean isLost() {
		return this.reports.isLost();
	}

	/**
	 * Ends the lease if its local deadline has passed.
	 */
	public void expire() {
		this.home.post(new KeyEvent.LeaseEnded(owner()));
	}

	/**
	 * Ends the lease because the engine shuts down.
	 */
	void shutDown() {
		this.home.post(new KeyEvent.ShutDown(owner()));
	}

	/**
	 * Reports the loss of the lease once.
	 * @param reason the reason
	 */
	void lost(LockLost.Reason reason) {
		losing(reason).run();
	}

	/**
	 * Records the loss of the lease, so that its reason is fixed before it is reported.
	 * @param reason the reason
	 * @return reports the loss
	 */
	Runnable losing(LockLost.Reason reason) {
		return this.reports.losing(reason);
	}

	private boolean isEnded() {
		return isReleased() || isLost();
	}

	/**
	 * The one release of a lease.
	 *
	 * @param outcome whether the server still had the lock for this lease
	 * @param held whether the lease was held locally when the release was sent
	 * @param deadline the end of the wait for the answer
	 * @param keptUntil the time until which the lock stays locked, or {@code null}
	 * @param isFirst whether the release must still be sent
	 */
	private record Release(CompletableFuture<Boolean> outcome, boolean held, long deadline, @Nullable Long keptUntil,
			boolean isFirst) {

		Release repeated() {
			return new Release(this.outcome, this.held, this.deadline, this.keptUntil, false);
		}

	}

}
