package io.lockable.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockable.DurationText;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockReleaseFailed;
import io.lockable.LockReleased;
import io.lockable.LockRenewalFailed;
import io.lockable.LockRenewed;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.engine.LeaseHome.Extending;
import io.lockable.engine.queue.Deadline;
import io.lockable.engine.queue.KeyEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of a holder. Whether it still holds the lock is decided by its
 * {@link LocalQueue}, under that one's mutex; the local deadline only ever says no.
 */
final class LocalLease implements Lease {

	private static final Logger log = LoggerFactory.getLogger(LocalLease.class);

	private static final Map<LockLost.Reason, String> REASONS = Map.of(LockLost.Reason.EXPIRED,
			"its lease expired before the release", LockLost.Reason.NOT_OWNED, "the store has another owner or none",
			LockLost.Reason.MAX_HOLD, "it reached the limit of 'maxHold'", LockLost.Reason.SHUTDOWN,
			"the application stopped before the release", LockLost.Reason.FORCED, "it was released by force");

	private final LeaseHome home;

	private final EngineRuntime runtime;

	private final String owner;

	private final long fencingToken;

	private final LockOptions options;

	private final Consumer<LockEvent> events;

	private final Waiter holder;

	private final LeaseTimes times;

	private final CompletableFuture<LockLost> lost = new CompletableFuture<>();

	// Why it is lost. Never changes again.
	private final AtomicReference<LockLost.@Nullable Reason> lossReason = new AtomicReference<>();

	private final AtomicReference<@Nullable Release> release = new AtomicReference<>();

	private volatile boolean unused;

	private volatile int holdCount = 1;

	private volatile long renewals;

	private volatile boolean renewing;

	// When the last failed renewal was reported.
	private volatile @Nullable Long renewalFailedAt;

	LocalLease(LeaseHome home, Waiter waiter, long fencingToken, long deadline, EngineRuntime runtime) {
		this.home = home;
		this.runtime = runtime;
		this.owner = waiter.owner();
		this.options = waiter.options();
		this.fencingToken = fencingToken;
		this.events = waiter.events();
		this.holder = waiter;
		this.times = new LeaseTimes(this.options, deadline, runtime.now());
	}

	@Override
	public String key() {
		return this.home.key();
	}

	@Override
	public String owner() {
		return this.owner;
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !isEnded() && !this.times.isOver(this.runtime.now());
	}

	@Override
	public Duration remaining() {
		return isEnded() ? Duration.ZERO : this.times.remaining(this.runtime.now());
	}

	@Override
	public boolean extend(Duration lease) {
		Objects.requireNonNull(lease, "'lease' must not be null");
		if (lease.toMillis() < 1) {
			throw new IllegalArgumentException(
					"'lease' must be at least 1ms, was %s".formatted(DurationText.of(lease)));
		}
		return awaitExtension(sendExtension(lease, Runnable::run), lease, this.runtime.store().answerDeadline());
	}

	/**
	 * Sends an extension without waiting for the answer, so that several are in flight
	 * together.
	 * @param lease how long from now
	 * @param sender sends it
	 * @return the answer, or {@code null} if the lease is over, or a transfer sets it and
	 * is unanswered
	 */
	@Nullable CompletionStage<Boolean> sendExtension(Duration lease, Executor sender) {
		Extending extending = isHeld() ? extending(lease) : null;
		if (extending == null) {
			return null;
		}
		sender.execute(() -> this.runtime.store().extend(extending.command()));
		return extending.applied();
	}

	@Nullable Extending extending(Duration lease) {
		return this.home.extend(this.owner, lease);
	}

	/**
	 * Waits for the answer to an extension, which is sent here if it could not be before.
	 * @param sent the answer, or {@code null}
	 * @param lease how long from now
	 * @param deadline until when to wait
	 * @return whether the lock is held
	 * @throws LockStoreException if the store failed or did not answer in time
	 */
	boolean awaitExtension(@Nullable CompletionStage<Boolean> sent, Duration lease, long deadline) {
		CompletionStage<Boolean> answer = sent;
		while (answer == null && isHeld()) {
			this.runtime.store().pause(key(), deadline);
			answer = sendExtension(lease, Runnable::run);
		}
		return answer != null && this.runtime.store().await(answer, key(), deadline) && isHeld();
	}

	/**
	 * Lets the lease live for as long as a nested call asks for: without renewal for its
	 * lease, of which a tenth may have passed; with renewal for half of it, as any lease
	 * that is renewed has more than that. One command does that, if it is not so already.
	 * @param nested the options of the nested call
	 * @return {@code false} if the lease is lost
	 * @throws LockStoreException if the store failed
	 */
	boolean prolong(LockOptions nested) {
		long now = this.runtime.now();
		RenewalTerms wanted = this.times.terms().with(RenewalTerms.of(nested, now));
		Duration lease = nested.lease();
		boolean renewed = wanted.lastFor(lease, now) && (isRenewable() || nested.renewal() == Renewal.ON);
		Duration needed = renewed ? lease.dividedBy(2) : lease.minus(lease.dividedBy(10));
		if (remaining().compareTo(needed) < 0 && !extend(lease)) {
			return false;
		}
		long keptUntil = Deadline.after(now, nested.minHold());
		this.times.holdAtLeastUntil(Deadline.later(this.times.heldUntilAtLeast(), keptUntil));
		return true;
	}

	/**
	 * Renews on the terms of a nested call too, until {@link #leaveNested}.
	 * @param nested the options of the nested call
	 * @return its terms
	 */
	RenewalTerms enterNested(LockOptions nested) {
		RenewalTerms terms = RenewalTerms.of(nested, this.runtime.now());
		enterNested(terms);
		return terms;
	}

	/**
	 * Renews on the terms of a nested call that has entered another lease.
	 * @param terms its terms
	 */
	void enterNested(RenewalTerms terms) {
		this.times.enter(terms);
		this.runtime.timer().wakeAt(nextStep());
	}

	/**
	 * Renews without the terms of a nested call that is over.
	 * @param terms its terms
	 */
	void leaveNested(RenewalTerms terms) {
		this.times.leave(terms);
		this.runtime.timer().wakeAt(nextStep());
	}

	@Override
	public CompletionStage<LockLost> lost() {
		return this.lost.minimalCompletionStage();
	}

	@Override
	public boolean release() {
		return release(null);
	}

	private boolean release(@Nullable Duration rest) {
		Release started = startRelease(Runnable::run, rest);
		if (this.options.release() == ReleaseMode.PIPELINED) {
			return started.held();
		}
		return this.runtime.store().await(started.outcome(), key(), started.deadline());
	}

	@Override
	public boolean releaseAfter(Duration rest) {
		checkRest(rest);
		return release(rest);
	}

	/**
	 * Checks for how long a lock is to stay locked.
	 * @param rest the time
	 * @throws IllegalArgumentException if it is out of its range
	 */
	static void checkRest(Duration rest) {
		Objects.requireNonNull(rest, "'rest' must not be null");
		if (rest.isNegative() || rest.compareTo(LockOptions.MAX_LEASE) > 0) {
			throw new IllegalArgumentException("'rest' must be between %s and %s, was %s".formatted(
					DurationText.of(Duration.ZERO), DurationText.of(LockOptions.MAX_LEASE), DurationText.of(rest)));
		}
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return startRelease(this.runtime.store()::dispatch, null).outcome().minimalCompletionStage();
	}

	/**
	 * Sends the release without waiting for the answer, which {@link #release} then does:
	 * so that several are in flight together. Does not block.
	 * @param rest for how long the lock stays locked, or {@code null} for what the
	 * options say
	 */
	void sendRelease(@Nullable Duration rest) {
		startRelease(this.runtime.store()::dispatch, rest);
	}

	@Override
	public LocalLease unused() {
		this.unused = true;
		return this;
	}

	@Override
	public void close() {
		try {
			release();
		}
		catch (LockStoreException ex) {
			log.warn("Failed to release lock '{}'; the release is retried until its lease expires", key(), ex);
		}
	}

	private Release startRelease(Executor sender, @Nullable Duration rest) {
		CompletableFuture<Boolean> released = new CompletableFuture<>();
		Release started = new Release(released, !isLost(), this.runtime.store().answerDeadline());
		Release earlier = this.release.compareAndExchange(null, started);
		if (earlier != null) {
			return earlier;
		}
		if (rest != null) {
			this.times.holdAtLeastUntil(Deadline.after(this.runtime.now(), rest));
		}
		Long keptUntil = (this.unused || this.times.isHeldLongEnough(this.runtime.now())) ? null
				: this.times.heldUntilAtLeast();
		sender.execute(() -> this.home.release(this.owner, keptUntil).whenComplete((ours, failure) -> {
			if (failure != null) {
				releaseFailed(failure);
				released.completeExceptionally(failure);
			}
			else {
				if (!ours) {
					lost(LockLost.Reason.NOT_OWNED);
				}
				notifyReleased(ours);
				released.complete(ours);
			}
		}));
		return started;
	}

	/**
	 * Ends this lease by letting a successor take its place on the server.
	 * @param successor acquires in exchange for this owner token; gives {@code null} if
	 * that one holds the lock no longer
	 * @return the successor's lease, or {@code null} if the lock was no longer ours
	 * @throws LockStoreException if the store failed; both owner tokens are given up then
	 */
	@Nullable LocalLease giveTo(Supplier<@Nullable LocalLease> successor) {
		CompletableFuture<Boolean> given = new CompletableFuture<>();
		if (!this.release.compareAndSet(null, new Release(given, true, this.runtime.store().answerDeadline()))) {
			return null;
		}
		if (isLost() || !leaveQueue()) {
			notifyReleased(false);
			given.complete(false);
			return null;
		}
		boolean told = false;
		boolean held = false;
		try {
			LocalLease lease = successor.get();
			told = true;
			held = lease != null;
			return lease;
		}
		finally {
			if (!told) {
				Duration rest = this.times.remaining(this.runtime.now());
				Duration lease = this.options.lease();
				this.home.abandon(this.owner, (rest.compareTo(lease) > 0) ? rest : lease);
			}
			if (!held) {
				lost(told ? LockLost.Reason.NOT_OWNED : LockLost.Reason.EXPIRED);
			}
			notifyReleased(held);
			given.complete(held);
		}
	}

	private boolean leaveQueue() {
		Boolean left = this.home.dismiss(this.owner);
		while (left == null) {
			this.runtime.store().pause();
			left = this.home.dismiss(this.owner);
		}
		return left;
	}

	private void releaseFailed(Throwable failure) {
		this.events.accept(new LockReleaseFailed(key(), this.options.name(), this.fencingToken, failure));
	}

	private void notifyReleased(boolean ours) {
		if (this.runtime.notifier().isForAll()) {
			Duration held = this.times.held(this.runtime.now());
			this.events.accept(new LockReleased(key(), this.options.name(), this.fencingToken, held, ours));
		}
	}

	// One at a time
	@SuppressWarnings("NonAtomicVolatileUpdate")
	void renewed(long lag) {
		this.renewals++;
		this.events
			.accept(new LockRenewed(key(), this.options.name(), this.fencingToken, Duration.ofNanos(Math.max(0, lag))));
	}

	/**
	 * Notes whether a renewal is unanswered: none is sent until it is not.
	 * @param unanswered whether one is
	 */
	void renewing(boolean unanswered) {
		this.renewing = unanswered;
		this.runtime.timer().wakeAt(nextStep());
	}

	boolean isRenewing() {
		return this.renewing;
	}

	/**
	 * Reports that a renewal has failed, once for each renewal period: it is retried
	 * several times a second.
	 * @param failure the failure
	 */
	void renewalFailed(Throwable failure) {
		if (isEnded()) {
			return;
		}
		long now = this.runtime.now();
		Long reportedAt = this.renewalFailedAt;
		if (reportedAt != null && now - reportedAt < this.times.terms().lease().toNanos() / 3) {
			return;
		}
		this.renewalFailedAt = now;
		this.events.accept(new LockRenewalFailed(key(), this.options.name(), this.fencingToken, remaining(), failure));
	}

	/**
	 * Notes how often the thread that holds the lock has entered it, for those who look.
	 * @param count the number of acquisitions not given back yet
	 */
	void entered(int count) {
		this.holdCount = count;
	}

	LockHolding holding(long now) {
		return new LockHolding(key(), this.options.name(), this.owner, this.holder.thread(), this.times.held(now),
				remaining(), this.holdCount, this.fencingToken, this.renewals);
	}

	LockOptions options() {
		return this.options;
	}

	LeaseTimes times() {
		return this.times;
	}

	boolean isReleased() {
		return this.release.get() != null;
	}

	/**
	 * Returns why the lease is lost, for messages.
	 * @return the reason
	 */
	String reasonOfLoss() {
		LockLost.Reason reason = this.lossReason.get();
		return (reason != null) ? REASONS.getOrDefault(reason, reason.toString()) : "its lease expired";
	}

	boolean isLost() {
		return this.lossReason.get() != null;
	}

	/**
	 * Publishes the local deadline of the key.
	 * @param deadline the local deadline
	 */
	void validUntil(long deadline) {
		if (deadline == this.times.deadline()) {
			return;
		}
		this.times.validUntil(deadline);
		this.times.renewInTime();
		this.runtime.timer().wakeAt(nextStep());
	}

	/**
	 * Sets when the lease is renewed.
	 * @param time when at the earliest
	 */
	void renewNotBefore(long time) {
		this.times.renewNotBefore(time);
		this.runtime.timer().wakeAt(nextStep());
	}

	/**
	 * Returns whether the lease is renewed, and not yet for as long as it may be held.
	 * @return whether to renew it
	 */
	boolean isRenewable() {
		return this.times.isRenewable();
	}

	/**
	 * Returns when something is to be done about the lease at the latest.
	 * @return when to renew it or to tell of its loss
	 */
	long nextStep() {
		long deadline = this.times.deadline();
		boolean renews = isRenewable() && !this.renewing;
		return renews ? Deadline.earlier(this.times.renewAt(), deadline) : deadline;
	}

	boolean isShared() {
		return this.holder.mode().isShared();
	}

	/**
	 * Ends the lease if its local deadline has passed.
	 */
	void expire() {
		this.home.post(new KeyEvent.LeaseEnded(this.owner));
	}

	/**
	 * Ends the lease, because the engine shuts down.
	 */
	void shutDown() {
		this.home.post(new KeyEvent.ShutDown(this.owner));
	}

	/**
	 * Ends the lease, because an operator has released it by force.
	 */
	void forced() {
		this.home.post(new KeyEvent.Forced(this.owner));
	}

	/**
	 * Tells that the lease is lost, once.
	 * @param reason how it became known
	 */
	void lost(LockLost.Reason reason) {
		losing(reason).run();
	}

	/**
	 * Notes that the lease is lost, so that nobody finds another reason before this one
	 * is told.
	 * @param reason how it became known
	 * @return tells it
	 */
	Runnable losing(LockLost.Reason reason) {
		LockLost.Reason known = (reason == LockLost.Reason.EXPIRED) ? this.times.reasonOfEnd() : reason;
		return this.lossReason.compareAndSet(null, known) ? () -> notifyLost(known) : () -> {
		};
	}

	private void notifyLost(LockLost.Reason reason) {
		LockLost event = new LockLost(key(), this.options.name(), this.fencingToken, reason);
		String name = this.options.name();
		log.warn("Lock '{}'{} is lost: {}. Work done under it may overlap with another owner's", key(),
				name.equals(LockOptions.NO_NAME) ? "" : " (" + name + ")", REASONS.get(reason));
		this.runtime.workers().callBack(() -> this.lost.complete(event));
		this.events.accept(event);
	}

	private boolean isEnded() {
		return isReleased() || isLost();
	}

	/**
	 * The one release of a lease.
	 *
	 * @param outcome whether the lock was still ours, by the server's answer
	 * @param held whether it was ours by what was known when the release was sent
	 * @param deadline until when to wait for the answer
	 */
	private record Release(CompletableFuture<Boolean> outcome, boolean held, long deadline) {

	}

}
