package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Extension;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Refused;
import org.jspecify.annotations.Nullable;

/**
 * All that an instance knows of one key: who in it has the lock, who waits, and what the
 * server was told.
 *
 * <h2>States</h2>
 * <ul>
 * <li><b>asking</b> ({@code ask} is set): a command is on its way whose answer may give
 * the lock. At most one at a time, and always for the first waiter.</li>
 * <li><b>looking</b>: the server has refused. It has queued the {@code candidate}, so a
 * grant will come; whatever becomes of that message, the server is asked again at
 * {@code lookAt}.</li>
 * <li><b>holding</b> ({@code hold} is set): the server believes that this instance has
 * the lock, and {@code current} has it here. Without a {@code current}, the lock is being
 * passed on.</li>
 * <li><b>retired</b>: nobody waits or holds; the queue is gone from the map, and a
 * newcomer makes a new one.</li>
 * </ul>
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code current != null} implies {@code hold != null}; {@code hold},
 * {@code candidate} never both.</li>
 * <li>A successor enters only while the local deadline of the hold lies ahead: until then
 * no other instance can hold the lock, so nothing has to be awaited. The server learns
 * the new owner token and lease by a <i>transfer</i>, at most one of which is on its way;
 * hand-offs that happen meanwhile are told by the next one. If a transfer finds that the
 * lock is not ours, the current lease is lost.</li>
 * <li>Every owner token that the server may know is either the candidate's, the hold's,
 * the successor's of its transfer, or being abandoned. An owner token that was abandoned
 * is never asked for again: so a late release cannot hit a new acquisition.</li>
 * <li>A waiter is in {@code waiters} until its outcome is decided, and whoever removes it
 * completes it.</li>
 * <li>While there are waiters and nobody here holds the lock, a command is on its way or
 * a look is scheduled: no waiter depends on a message alone.</li>
 * </ol>
 *
 * <p>
 * All fields are guarded by {@code mutex}. What a transition does to the outside, sending
 * a command or completing a future, happens after the mutex is released.
 */
final class LockQueue implements Watched {

	/**
	 * How many holders of this instance, and for how long, may follow one another while
	 * other instances wait.
	 */
	static final int TURN_HAND_OFFS = 16;

	static final long TURN = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long SLOW_LOOK = TimeUnit.SECONDS.toNanos(10);

	private static final long LOOK_JITTER = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long FIRST_BACK_OFF = TimeUnit.MILLISECONDS.toNanos(5);

	private static final int MAX_DOUBLINGS = 6;

	private final String id;

	private final String key;

	private final boolean fair;

	private final LockQueues queues;

	private final ReentrantLock mutex = new ReentrantLock();

	private final LinkedHashSet<Waiter> waiters = new LinkedHashSet<>();

	private @Nullable Hold hold;

	private @Nullable HeldLease current;

	private @Nullable CompletableFuture<Boolean> releaser;

	private @Nullable Candidate candidate;

	private @Nullable Ask ask;

	private boolean looking;

	private long lookAt;

	private int looks;

	private @Nullable LockStoreException failure;

	private long transferRetryAt;

	private boolean transferFailed;

	private boolean retired;

	private volatile long dueAt;

	LockQueue(String id, String key, boolean fair, LockQueues queues) {
		this.id = id;
		this.key = key;
		this.fair = fair;
		this.queues = queues;
		this.dueAt = Deadline.after(queues.now(), Duration.ofDays(36500));
	}

	String id() {
		return this.id;
	}

	String key() {
		return this.key;
	}

	// Acquirers

	/**
	 * Adds a waiter. Its outcome is completed by a grant, a refusal or a failure.
	 * @param waiter the waiter
	 * @return {@code false} if this queue is retired: make a new one
	 */
	boolean enter(Waiter waiter) {
		boolean[] entered = { true };
		step(() -> {
			if (this.retired) {
				entered[0] = false;
				return Effect.NONE;
			}
			Effect expired = expireCurrent();
			if (!waiter.isPatient() && (this.current != null || !this.waiters.isEmpty())) {
				return expired.then(() -> waiter.outcome().complete(null));
			}
			this.waiters.add(waiter);
			return expired.then(advance());
		});
		return entered[0];
	}

	/**
	 * Ends the wait of a waiter whose time is over. The first one still gets the first
	 * answer of the server that is on its way: before it, nothing is known.
	 * @param waiter the waiter
	 */
	void timeOut(Waiter waiter) {
		step(() -> {
			boolean first = this.waiters.iterator().hasNext() && this.waiters.iterator().next() == waiter;
			boolean unanswered = this.candidate != null && !this.candidate.isAnswered();
			if ((first && this.ask != null && unanswered) || !this.waiters.remove(waiter)) {
				return Effect.NONE;
			}
			LockStoreException failure = this.failure;
			return Effect.of(() -> refuse(waiter, failure)).then(advance());
		});
	}

	/**
	 * Ends the wait of a waiter that does not want the lock any more.
	 * @param waiter the waiter
	 */
	void cancel(Waiter waiter) {
		step(() -> this.waiters.remove(waiter) ? Effect.of(() -> waiter.outcome().cancel(false)).then(advance())
				: Effect.NONE);
	}

	/**
	 * Fails all waiters, because the engine shuts down.
	 * @param failure what they get
	 */
	void failAll(RuntimeException failure) {
		step(() -> {
			List<Waiter> failed = takeAll();
			return Effect.of(() -> failed.forEach((waiter) -> waiter.outcome().completeExceptionally(failure)))
				.then(advance());
		});
	}

	// The holder

	/**
	 * Gives the lock to the next waiter here, to another instance, or back.
	 * @param lease the lease that ends
	 * @return whether the lock was still ours
	 */
	CompletionStage<Boolean> release(HeldLease lease) {
		CompletableFuture<Boolean> released = new CompletableFuture<>();
		step(() -> {
			Effect expired = expireCurrent();
			if (this.current != lease) {
				return expired.then(Effect.of(() -> released.complete(false)).then(advance()));
			}
			this.current = null;
			this.queues.keeper().remove(lease);
			this.releaser = released;
			return pass(false);
		});
		return released;
	}

	/**
	 * Ends a lease that must be taken as lost.
	 * @param lease the lease
	 * @param reason how the loss became known
	 */
	void lose(HeldLease lease, LockLost.Reason reason) {
		step(() -> (this.current == lease) ? dropCurrent(reason).then(advance()) : Effect.NONE);
	}

	/**
	 * Prepares to extend a lease.
	 * @param lease the lease to extend
	 * @param wanted how long from now
	 * @return what to send, or {@code null} if the lease is over or a transfer on its way
	 * sets it anyway
	 */
	@Nullable Extension extension(HeldLease lease, Duration wanted) {
		this.mutex.lock();
		try {
			Hold hold = this.hold;
			if (this.current != lease || hold == null || hold.transfer() != null) {
				return null;
			}
			long sentAt = this.queues.now();
			Extension extension = new Extension(this.key, hold.owner(), wanted, new CompletableFuture<>());
			CompletionStage<Boolean> result = extension.result();
			result.thenAccept((extended) -> extended(lease, extension, sentAt, extended));
			return extension;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void extended(HeldLease lease, Extension extension, long sentAt, boolean extended) {
		step(() -> {
			Hold hold = this.hold;
			// The answer is about an owner token. Only while that one is the holder's
			// does
			// a "no" mean a loss: a transfer may have replaced it meanwhile.
			boolean same = this.current == lease && hold != null && hold.transfer() == null
					&& hold.owner().equals(extension.owner());
			if (!same || hold == null) {
				return Effect.NONE;
			}
			if (!extended) {
				return dropCurrent(LockLost.Reason.NOT_OWNED).then(advance());
			}
			hold.extended(Deadline.ofLease(sentAt, extension.lease()));
			lease.validUntil(hold.deadline());
			return Effect.NONE;
		});
	}

	// The server

	/**
	 * A message says that the candidate was given the lock.
	 * @param grant the message
	 */
	void granted(Grant grant) {
		step(() -> {
			Hold hold = this.hold;
			if (hold != null && isOurs(hold, grant.owner())) {
				return Effect.NONE;
			}
			Candidate candidate = this.candidate;
			if (candidate == null || !candidate.owner().equals(grant.owner())) {
				return () -> this.queues.abandon(this.key, grant.owner());
			}
			this.ask = null;
			long now = this.queues.now();
			return take(new Hold(candidate.owner(), candidate.lease(), candidate.deadlineOf(grant, now),
					grant.granted(), now), false);
		});
	}

	/**
	 * Asks again now, if this queue waits for a message.
	 */
	void look() {
		step(() -> {
			this.looking = false;
			return advance();
		});
	}

	@Override
	public long dueAt() {
		return this.dueAt;
	}

	@Override
	public void due(long now) {
		this.queues.dispatch(() -> dueNow(now));
	}

	private void dueNow(long now) {
		step(() -> {
			Ask overdue = this.ask;
			Hold hold = this.hold;
			if (overdue != null && now - overdue.sentAt() >= this.queues.commandTimeout().toNanos()) {
				this.ask = null;
				return failed(new LockStoreException("No answer from the store for lock '%s' within %s"
					.formatted(this.key, this.queues.commandTimeout()), null));
			}
			if (this.looking && now - this.lookAt >= 0) {
				this.looking = false;
				return advance();
			}
			if (hold != null && this.transferFailed && now - this.transferRetryAt >= 0) {
				return retryTransfer(hold, now);
			}
			return Effect.NONE;
		});
	}

	/**
	 * Decides what comes next. Called whenever a waiter, an answer or a holder has come
	 * or gone.
	 */
	private Effect advance() {
		if (this.hold != null) {
			return (this.current == null) ? pass(false) : Effect.NONE;
		}
		if (this.ask != null || this.retired) {
			return Effect.NONE;
		}
		if (this.waiters.isEmpty()) {
			return retire();
		}
		return this.looking ? Effect.NONE : ask();
	}

	private Effect ask() {
		Waiter first = this.waiters.iterator().next();
		long now = this.queues.now();
		if (this.candidate == null) {
			this.candidate = new Candidate(first.owner(), first.options().lease(), now);
		}
		boolean queue = first.isPatient() && this.queues.isSubscribed();
		if (queue) {
			this.candidate.known();
		}
		Ask ask = new Ask(this.candidate.owner(), this.candidate.lease(), queue, now);
		this.ask = ask;
		return () -> this.queues.send(this.key, ask, this.fair)
			.whenComplete((answer, failure) -> answered(ask, answer, failure));
	}

	private void answered(Ask ask, @Nullable Acquisition answer, @Nullable Throwable failure) {
		step(() -> {
			if (!ask.equals(this.ask)) {
				return answeredLate(ask, answer);
			}
			this.ask = null;
			if (failure != null) {
				return failed(this.queues.storeFailure(this.key, failure));
			}
			this.failure = null;
			if (answer instanceof Granted granted) {
				return take(new Hold(ask.owner(), ask.lease(), Deadline.ofLease(ask.sentAt(), ask.lease()), granted,
						this.queues.now()), true);
			}
			return (answer instanceof Refused refused) ? refused(ask, refused) : Effect.NONE;
		});
	}

	private Effect answeredLate(Ask ask, @Nullable Acquisition answer) {
		boolean ours = (this.candidate != null && this.candidate.owner().equals(ask.owner()))
				|| (this.hold != null && isOurs(this.hold, ask.owner()));
		boolean known = ask.queue() || !(answer instanceof Refused);
		return (!ours && known) ? () -> this.queues.abandon(this.key, ask.owner(), ask.lease()) : Effect.NONE;
	}

	private Effect refused(Ask ask, Refused refused) {
		Candidate candidate = this.candidate;
		if (candidate != null) {
			candidate.refused(ask.sentAt(), refused);
		}
		Effect refusals = refuseOver();
		if (this.waiters.isEmpty()) {
			return refusals.then(retire());
		}
		if (this.queues.isSubscribed() && !ask.queue()) {
			return refusals.then(ask());
		}
		long now = this.queues.now();
		long holderEnds = refused.remaining().toNanos() + 1 + ThreadLocalRandom.current().nextLong(LOOK_JITTER);
		lookIn(now, Math.min(holderEnds, ask.queue() ? SLOW_LOOK : backOff()));
		return refusals.then(ask.queue() ? Effect.NONE : () -> this.queues.subscribe(this));
	}

	private Effect failed(LockStoreException failure) {
		this.failure = failure;
		Candidate candidate = this.candidate;
		boolean again = failure.isRetryable();
		if (candidate != null) {
			candidate.known();
			again |= candidate.isAnswered();
		}
		if (again) {
			lookIn(this.queues.now(), Math.max(RETRY, backOff()));
			Effect refusals = refuseOver();
			return this.waiters.isEmpty() ? refusals.then(retire()) : refusals;
		}
		List<Waiter> failed = takeAll();
		return Effect.of(() -> failed.forEach((waiter) -> refuse(waiter, failure))).then(retire());
	}

	private Effect take(Hold hold, boolean confirmed) {
		this.candidate = null;
		this.looking = false;
		this.looks = 0;
		this.failure = null;
		this.transferFailed = false;
		this.hold = hold;
		return pass(confirmed);
	}

	/**
	 * Decides who has the lock next, while nobody here has it.
	 * @param confirmed whether the server has just said that the lock is ours
	 */
	private Effect pass(boolean confirmed) {
		Hold hold = this.hold;
		if (hold == null) {
			return Effect.NONE;
		}
		if (this.waiters.isEmpty()) {
			return giveBack(hold);
		}
		Waiter next = this.waiters.iterator().next();
		long now = this.queues.now();
		boolean turnOver = hold.isTurnOver(now);
		boolean renameable = this.queues.canTransfer() || next.owner().equals(hold.owner());
		boolean valid = confirmed ? hold.isValid(now) : hold.isFresh(next.options().lease(), now);
		if (valid && !turnOver && renameable) {
			return give(hold, next);
		}
		if (hold.transfer() != null) {
			return Effect.NONE;
		}
		if (turnOver && this.queues.isSubscribed()) {
			return yieldTurn(hold, next);
		}
		if (turnOver || !renameable) {
			return giveBack(hold);
		}
		if (confirmed) {
			return giveBack(hold).then(failed(new LockStoreException(
					"The store's answer for lock '%s' took longer than the lease: use a longer lease"
						.formatted(this.key),
					null)));
		}
		return transfer(hold, next);
	}

	private Effect give(Hold hold, Waiter next) {
		this.waiters.remove(next);
		boolean untold = !next.owner().equals(hold.owner()) && hold.transfer() == null;
		Effect transfer = untold ? transfer(hold, next) : Effect.NONE;
		HeldLease lease = new HeldLease(this, next, hold.takeToken(), hold.deadline(), this.queues);
		this.current = lease;
		this.queues.keeper().add(lease);
		Effect released = released(true);
		return () -> {
			next.outcome().complete(lease);
			released.apply();
			transfer.apply();
		};
	}

	private Effect giveBack(Hold hold) {
		if (hold.transfer() != null) {
			return Effect.NONE;
		}
		this.hold = null;
		CompletableFuture<Boolean> releaser = this.releaser;
		this.releaser = null;
		Effect release = (releaser != null) ? () -> this.queues.release(this.key, hold.owner(), hold.lease(), releaser)
				: () -> this.queues.abandon(this.key, hold.owner(), hold.lease());
		return release.then(advance());
	}

	private Effect yieldTurn(Hold hold, Waiter next) {
		this.hold = null;
		CompletableFuture<Boolean> releaser = this.releaser;
		this.releaser = null;
		long now = this.queues.now();
		this.candidate = new Candidate(next.owner(), next.options().lease(), now);
		this.candidate.known();
		Ask ask = new Ask(next.owner(), next.options().lease(), true, now);
		this.ask = ask;
		return () -> this.queues.yieldTurn(this.key, hold.owner(), ask).whenComplete((yielded, failure) -> {
			if (yielded != null) {
				complete(releaser, yielded.released());
				answered(ask, yielded.next(), null);
			}
			else {
				this.queues.abandon(this.key, hold.owner(), hold.lease());
				fail(releaser, failure);
				answered(ask, null, failure);
			}
		});
	}

	private Effect transfer(Hold hold, Waiter successor) {
		return transfer(hold, successor.owner(), successor.options().lease());
	}

	private Effect transfer(Hold hold, String successor, Duration lease) {
		Hold.Transfer transfer = new Hold.Transfer(successor, lease, this.queues.now());
		hold.sent(transfer);
		this.transferFailed = false;
		if (this.current != null) {
			this.current.validUntil(hold.deadline());
		}
		String owner = hold.owner();
		return () -> this.queues.transfer(this.key, owner, successor, lease)
			.whenComplete((answer, failure) -> transferred(hold, transfer, answer));
	}

	private void transferred(Hold hold, Hold.Transfer transfer, @Nullable Acquisition answer) {
		step(() -> {
			if (this.hold != hold || !transfer.equals(hold.transfer())) {
				boolean ours = this.hold != null && isOurs(this.hold, transfer.successor());
				boolean orphan = !ours && !(answer instanceof Refused);
				return orphan ? () -> this.queues.abandon(this.key, transfer.successor(), transfer.lease())
						: Effect.NONE;
			}
			HeldLease current = this.current;
			if (answer == null) {
				this.transferFailed = true;
				this.transferRetryAt = this.queues.now() + RETRY;
				return Effect.NONE;
			}
			if (answer instanceof Granted granted) {
				hold.transferred(transfer, granted);
				if (current == null) {
					return pass(true);
				}
				current.validUntil(hold.deadline());
				return current.owner().equals(hold.owner()) ? Effect.NONE
						: transfer(hold, current.owner(), current.options().lease());
			}
			if (current != null) {
				return dropCurrent(LockLost.Reason.NOT_OWNED).then(advance());
			}
			this.hold = null;
			return released(false).then(advance());
		});
	}

	private Effect retryTransfer(Hold hold, long now) {
		Hold.Transfer failed = hold.transfer();
		this.transferFailed = false;
		if (failed == null) {
			return Effect.NONE;
		}
		if (this.current == null && hold.deadline() - now <= 0) {
			this.hold = null;
			CompletableFuture<Boolean> releaser = this.releaser;
			this.releaser = null;
			LockStoreException failure = new LockStoreException(
					"The store did not answer for lock '%s' until its lease had ended".formatted(this.key), null);
			return Effect.of(() -> {
				this.queues.abandon(this.key, hold.owner(), failed.lease());
				this.queues.abandon(this.key, failed.successor(), failed.lease());
				fail(releaser, failure);
			}).then(failed(failure));
		}
		return transfer(hold, failed.successor(), failed.lease());
	}

	private Effect retire() {
		Candidate candidate = this.candidate;
		this.candidate = null;
		this.looking = false;
		this.retired = true;
		this.queues.remove(this);
		if (candidate == null || !candidate.isKnown()) {
			return Effect.NONE;
		}
		return () -> this.queues.abandon(this.key, candidate.owner(), candidate.lease());
	}

	private Effect expireCurrent() {
		HeldLease current = this.current;
		boolean over = current != null && current.isOver(this.queues.now());
		return over ? dropCurrent(LockLost.Reason.EXPIRED) : Effect.NONE;
	}

	/**
	 * Ends the current lease as lost. What other tokens the server may know, it learns to
	 * forget: a transfer on its way is undone when it is answered.
	 */
	private Effect dropCurrent(LockLost.Reason reason) {
		HeldLease lost = this.current;
		Hold hold = this.hold;
		this.current = null;
		this.hold = null;
		if (lost == null || hold == null) {
			return Effect.NONE;
		}
		this.queues.keeper().remove(lost);
		return () -> {
			lost.lost(reason);
			this.queues.abandon(this.key, hold.owner(), hold.lease());
		};
	}

	private boolean isOurs(Hold hold, String owner) {
		Hold.Transfer transfer = hold.transfer();
		return hold.owner().equals(owner) || (transfer != null && transfer.successor().equals(owner));
	}

	private Effect released(boolean released) {
		CompletableFuture<Boolean> releaser = this.releaser;
		this.releaser = null;
		return (releaser != null) ? () -> releaser.complete(released) : Effect.NONE;
	}

	private Effect refuseOver() {
		long now = this.queues.now();
		List<Waiter> over = new ArrayList<>();
		for (Waiter waiter : this.waiters) {
			if (!waiter.isPatient() || waiter.isOver(now)) {
				over.add(waiter);
			}
		}
		over.forEach(this.waiters::remove);
		LockStoreException failure = this.failure;
		return over.isEmpty() ? Effect.NONE : () -> over.forEach((waiter) -> refuse(waiter, failure));
	}

	private List<Waiter> takeAll() {
		List<Waiter> all = List.copyOf(this.waiters);
		this.waiters.clear();
		return all;
	}

	private void lookIn(long now, long nanos) {
		this.looking = true;
		this.lookAt = now + nanos;
	}

	private long backOff() {
		long limit = FIRST_BACK_OFF << Math.min(this.looks++, MAX_DOUBLINGS);
		return ThreadLocalRandom.current().nextLong(limit / 2, limit);
	}

	private void step(Supplier<Effect> transition) {
		Effect then;
		this.mutex.lock();
		try {
			then = transition.get();
			schedule();
		}
		finally {
			this.mutex.unlock();
		}
		then.apply();
	}

	private void schedule() {
		if (this.ask != null) {
			this.dueAt = this.ask.sentAt() + this.queues.commandTimeout().toNanos();
		}
		else if (this.looking) {
			this.dueAt = this.lookAt;
		}
		else if (this.transferFailed) {
			this.dueAt = this.transferRetryAt;
		}
		else {
			return;
		}
		this.queues.watch().wakeAt(this.dueAt);
	}

	private static void refuse(Waiter waiter, @Nullable LockStoreException failure) {
		if (failure != null) {
			waiter.outcome().completeExceptionally(failure);
		}
		else {
			waiter.outcome().complete(null);
		}
	}

	private static void complete(@Nullable CompletableFuture<Boolean> releaser, boolean released) {
		if (releaser != null) {
			releaser.complete(released);
		}
	}

	private static void fail(@Nullable CompletableFuture<Boolean> releaser, Throwable failure) {
		if (releaser != null) {
			releaser.completeExceptionally(failure);
		}
	}

	/**
	 * A command on its way whose answer may give the lock.
	 *
	 * @param owner the owner token
	 * @param lease the lease
	 * @param queue whether the server queues the owner when it refuses
	 * @param sentAt when it was sent, or shortly before
	 */
	record Ask(String owner, Duration lease, boolean queue, long sentAt) {

	}

}
