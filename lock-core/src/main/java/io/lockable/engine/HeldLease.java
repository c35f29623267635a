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
import io.lockable.store.Extension;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of a holder. Whether it still holds the lock is decided by its
 * {@link LockQueue}, under that one's mutex; the local deadline only ever says no.
 */
final class HeldLease implements Lease {

	private static final Logger log = LoggerFactory.getLogger(HeldLease.class);

	private static final Map<LockLost.Reason, String> REASONS = Map.of(LockLost.Reason.EXPIRED,
			"its lease expired before the release", LockLost.Reason.NOT_OWNED, "the store has another owner or none",
			LockLost.Reason.MAX_HOLD, "it reached the limit of 'maxHold'", LockLost.Reason.SHUTDOWN,
			"the application stopped before the release", LockLost.Reason.FORCED, "it was released by force");

	private final LockQueue queue;

	private final LockQueues queues;

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

	HeldLease(LockQueue queue, Waiter waiter, long fencingToken, long deadline, LockQueues queues) {
		this.queue = queue;
		this.queues = queues;
		this.owner = waiter.owner();
		this.options = waiter.options();
		this.fencingToken = fencingToken;
		this.events = waiter.events();
		this.holder = waiter;
		this.times = new LeaseTimes(this.options, deadline, queues.now());
	}

	@Override
	public String key() {
		return this.queue.key();
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
		return !isEnded() && !this.times.isOver(this.queues.now());
	}

	@Override
	public Duration remaining() {
		return isEnded() ? Duration.ZERO : this.times.remaining(this.queues.now());
	}

	@Override
	public boolean extend(Duration lease) {
		Objects.requireNonNull(lease, "'lease' must not be null");
		if (lease.toMillis() < 1) {
			throw new IllegalArgumentException(
					"'lease' must be at least 1ms, was %s".formatted(DurationText.of(lease)));
		}
		return awaitExtension(sendExtension(lease, Runnable::run), lease, this.queues.store().answerDeadline());
	}

	/**
	 * Sends an extension without waiting for the answer, so that several are in flight
	 * together.
	 * @param lease how long from now
	 * @param sender sends it
	 * @return the answer, or {@code null} if the lease is over, or a transfer sets it and
	 * is unanswered
	 */
	@Nullable CompletableFuture<Boolean> sendExtension(Duration lease, Executor sender) {
		CompletableFuture<Boolean> applied = new CompletableFuture<>();
		Extension extension = isHeld() ? this.queues.keeper().extension(this, lease, applied) : null;
		if (extension == null) {
			return null;
		}
		sender.execute(() -> this.queues.store().extend(extension));
		return applied;
	}

	/**
	 * Waits for the answer to an extension, which is sent here if it could not be before.
	 * @param sent the answer, or {@code null}
	 * @param lease how long from now
	 * @param deadline until when to wait
	 * @return whether the lock is held
	 * @throws LockStoreException if the store failed or did not answer in time
	 */
	boolean awaitExtension(@Nullable CompletableFuture<Boolean> sent, Duration lease, long deadline) {
		CompletableFuture<Boolean> answer = sent;
		while (answer == null && isHeld()) {
			this.queues.store().pause(key(), deadline);
			answer = sendExtension(lease, Runnable::run);
		}
		return answer != null && this.queues.store().await(answer, key(), deadline) && isHeld();
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
		long now = this.queues.now();
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
		RenewalTerms terms = RenewalTerms.of(nested, this.queues.now());
		enterNested(terms);
		return terms;
	}

	/**
	 * Renews on the terms of a nested call that has entered another lease.
	 * @param terms its terms
	 */
	void enterNested(RenewalTerms terms) {
		this.times.enter(terms);
		this.queues.keeper().moved(this);
	}

	/**
	 * Renews without the terms of a nested call that is over.
	 * @param terms its terms
	 */
	void leaveNested(RenewalTerms terms) {
		this.times.leave(terms);
		this.queues.keeper().moved(this);
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
		return this.queues.store().await(started.outcome(), key(), started.deadline());
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
		return startRelease(this.queues.store()::dispatch, null).outcome().minimalCompletionStage();
	}

	/**
	 * Sends the release without waiting for the answer, which {@link #release} then does:
	 * so that several are in flight together. Does not block.
	 * @param rest for how long the lock stays locked, or {@code null} for what the
	 * options say
	 */
	void sendRelease(@Nullable Duration rest) {
		startRelease(this.queues.store()::dispatch, rest);
	}

	@Override
	public HeldLease unused() {
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
		Release started = new Release(released, !isLost(), this.queues.store().answerDeadline());
		Release earlier = this.release.compareAndExchange(null, started);
		if (earlier != null) {
			return earlier;
		}
		if (rest != null) {
			this.times.holdAtLeastUntil(Deadline.after(this.queues.now(), rest));
		}
		Long keptUntil = (this.unused || this.times.isHeldLongEnough(this.queues.now())) ? null
				: this.times.heldUntilAtLeast();
		sender.execute(() -> this.queue.release(this, keptUntil).whenComplete((ours, failure) -> {
			if (failure != null) {
				releaseFailed(failure);
				released.completeExceptionally(failure);
			}
			else {
				if (!ours) {
					lost(LockLost.Reason.NOT_OWNED);
				}
				tellReleased(ours);
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
	@Nullable HeldLease giveTo(Supplier<@Nullable HeldLease> successor) {
		CompletableFuture<Boolean> given = new CompletableFuture<>();
		if (!this.release.compareAndSet(null, new Release(given, true, this.queues.store().answerDeadline()))) {
			return null;
		}
		this.queues.departing();
		try {
			return give(successor, given);
		}
		finally {
			this.queues.arrived();
		}
	}

	private @Nullable HeldLease give(Supplier<@Nullable HeldLease> successor, CompletableFuture<Boolean> given) {
		if (isLost() || !leaveQueue()) {
			tellReleased(false);
			given.complete(false);
			return null;
		}
		boolean told = false;
		boolean held = false;
		try {
			HeldLease lease = successor.get();
			told = true;
			held = lease != null;
			return lease;
		}
		finally {
			if (!told) {
				Duration rest = this.times.remaining(this.queues.now());
				Duration lease = this.options.lease();
				this.queues.abandoning(key(), this.owner, (rest.compareTo(lease) > 0) ? rest : lease, true, null).run();
			}
			if (!held) {
				lost(told ? LockLost.Reason.NOT_OWNED : LockLost.Reason.EXPIRED);
			}
			tellReleased(held);
			given.complete(held);
		}
	}

	private boolean leaveQueue() {
		Boolean left = this.queue.dismiss(this);
		while (left == null) {
			this.queues.store().pause();
			left = this.queue.dismiss(this);
		}
		return left;
	}

	private void releaseFailed(Throwable failure) {
		this.events.accept(new LockReleaseFailed(key(), this.options.name(), this.fencingToken, failure));
	}

	private void tellReleased(boolean ours) {
		if (this.queues.notifier().isForAll()) {
			Duration held = this.times.held(this.queues.now());
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
		this.queues.keeper().moved(this);
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
		long now = this.queues.now();
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
	 * Moves the local deadline to that of the hold.
	 * @param deadline the local deadline
	 */
	void validUntil(long deadline) {
		this.times.validUntil(deadline);
		this.times.renewInTime();
		this.queues.keeper().moved(this);
	}

	/**
	 * Sets when the lease is renewed.
	 * @param time when at the earliest
	 */
	void renewNotBefore(long time) {
		this.times.renewNotBefore(time);
		this.queues.keeper().moved(this);
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
		return this.holder.claim().isShared();
	}

	LockQueue queue() {
		return this.queue;
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
		return this.lossReason.compareAndSet(null, reason) ? () -> tellLost(reason) : () -> {
		};
	}

	private void tellLost(LockLost.Reason reason) {
		LockLost event = new LockLost(key(), this.options.name(), this.fencingToken, reason);
		String name = this.options.name();
		log.warn("Lock '{}'{} is lost: {}. Work done under it may overlap with another owner's", key(),
				name.equals(LockOptions.NO_NAME) ? "" : " (" + name + ")", REASONS.get(reason));
		this.queues.callBack(() -> this.lost.complete(event));
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
