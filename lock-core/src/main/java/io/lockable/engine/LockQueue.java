package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.DurationText;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.Bid.Ask;
import io.lockable.engine.Hold.Transfer;
import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.Refused;
import org.jspecify.annotations.Nullable;

/**
 * All that an instance knows of one key: who in it has the lock, who waits, and what the
 * server was told.
 *
 * <h2>States</h2>
 * <ul>
 * <li><b>wanting</b> ({@code bid} is set): a command is on its way whose answer may give
 * the lock, at most one at a time and always for the first waiter; or the server has
 * refused and queued the bid, so a grant will come, and the server is asked again in any
 * case when the bid says so.</li>
 * <li><b>holding</b> ({@code hold} is set): the server believes that this instance has
 * the lock. Without a current lease, the lock is being passed on.</li>
 * <li><b>retired</b>: nobody waits or holds; the queue is gone from the map, and a
 * newcomer makes a new one.</li>
 * </ul>
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code bid} and {@code hold} are never both set.</li>
 * <li>A successor enters only while the local deadline of the hold lies ahead: until then
 * no other instance can hold the lock, so nothing has to be awaited. The server learns
 * the new owner token and lease by a <i>transfer</i>, at most one of which is on its way;
 * hand-offs that happen meanwhile are told by the next one. If a transfer finds that the
 * lock is not ours, the current lease is lost.</li>
 * <li>A releaser completes with the answer to a command that was sent after it left, or
 * when the hold ends ({@link Leavers}).</li>
 * <li>A store that {@linkplain StoreAccess#needsConfirmation() needs confirmation}
 * changes two things: a grant only lets the bid ask again, and nobody enters while a
 * transfer is on its way. So whoever enters has an answer to a command in its own
 * name.</li>
 * <li>Every owner token that the server may know is the bid's, the hold's, the
 * successor's of its transfer, on its way to another queue, or noted by
 * {@link Abandonments} before the queue is gone: so {@link LockQueues#isIdle} misses
 * none. One that was abandoned is never asked for again: so a late release cannot hit a
 * new acquisition.</li>
 * <li>The message of a grant counts only if the server sent it after its last refusal to
 * the same owner token: a process that was paused reads old messages after new answers.
 * Any other message is a reason to ask.</li>
 * <li>A waiter is in {@code waiters} until its outcome is decided, and whoever removes it
 * completes it.</li>
 * <li>A lock whose holder has left before its shortest hold is over is <i>kept</i>:
 * nobody here enters on it, and the store keeps it for nobody's owner token.</li>
 * <li>While there are waiters and nobody here holds the lock, a command is on its way or
 * a look is scheduled: no waiter depends on a message alone.</li>
 * </ol>
 *
 * <p>
 * All fields are guarded by the mutex of the {@link Steps}. What a transition does to the
 * outside, sending a command or completing a future, runs after the mutex is released.
 */
final class LockQueue implements Watched {

	private final String id;

	private final String key;

	private final Claim claim;

	private final boolean fair;

	private final LockQueues queues;

	private final StoreAccess store;

	private final Steps steps = new Steps(this::schedule);

	private final Waiters waiters = new Waiters();

	private @Nullable Bid bid;

	private @Nullable Hold hold;

	private @Nullable Grant lastGrant;

	private boolean retired;

	private final long never;

	private volatile long dueAt;

	LockQueue(String id, String key, Claim claim, boolean fair, LockQueues queues) {
		this.id = id;
		this.key = key;
		this.claim = claim;
		this.fair = fair;
		this.queues = queues;
		this.store = queues.store();
		this.never = Deadline.after(queues.now(), Duration.ofDays(36_500));
		this.dueAt = this.never;
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
		return step(() -> {
			if (this.retired) {
				return false;
			}
			expireCurrent();
			boolean held = this.hold != null && this.hold.current() != null;
			boolean contended = this.bid != null && this.bid.isContended() && !this.waiters.isEmpty();
			if (!waiter.isPatient() && (held || contended)) {
				refuse(waiter);
			}
			else {
				this.waiters.add(waiter);
				advance();
			}
			return true;
		});
	}

	/**
	 * Ends the wait of a waiter whose time is over. The first one still gets the answer
	 * of the server that is on its way if nothing is known before it, or if what is known
	 * is old.
	 * @param waiter the waiter
	 */
	void timeOut(Waiter waiter) {
		step(() -> {
			Bid wanted = this.bid;
			if (wanted != null && this.waiters.isFirst(waiter)) {
				if (wanted.isStale(this.queues.now(), this.store.commandTimeout())) {
					ask();
					return;
				}
				if (wanted.isAsking() && (!wanted.isAnswered() || wanted.isGranted())) {
					return;
				}
			}
			if (isConfirming(waiter)) {
				return;
			}
			if (this.waiters.remove(waiter)) {
				refuse(waiter);
				advance();
			}
		});
	}

	private boolean isConfirming(Waiter waiter) {
		return this.store.needsConfirmation() && this.hold != null && this.hold.isTransferSentTo(waiter.owner());
	}

	/**
	 * Ends the wait of a waiter that does not want the lock any more.
	 * @param waiter the waiter
	 */
	void cancel(Waiter waiter) {
		step(() -> {
			if (this.waiters.remove(waiter)) {
				after(waiter::cancel);
				advance();
			}
		});
	}

	/**
	 * Returns whether those who wait here go on with a share of what they have: they free
	 * nothing, and wait only for the answer.
	 * @return whether it is about a downgrade
	 */
	boolean isDowngrade() {
		return this.claim.predecessor() != null;
	}

	/**
	 * Fails all waiters, because the engine shuts down.
	 * @param failure what they get
	 */
	void failAll(LockException failure) {
		step(() -> {
			this.waiters.takeAll().forEach((waiter) -> after(() -> waiter.fail(failure)));
			advance();
		});
	}

	/**
	 * Fails all waiters and releasers, because no answer will come any more.
	 * @param failure what they get
	 */
	void giveUp(LockStoreException failure) {
		failAll(failure);
		step(() -> {
			if (this.hold != null) {
				after(this.hold.leavers().failed(failure));
			}
		});
	}

	// The holder

	/**
	 * Gives the lock to the next waiter here, to another instance, or back. A successor
	 * here enters at once; the outcome waits for the answer to the command that tells the
	 * store so ({@link Leavers}).
	 * @param lease the lease that ends
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @return whether the lock was still ours
	 */
	CompletionStage<Boolean> release(HeldLease lease, @Nullable Long keptUntil) {
		CompletableFuture<Boolean> released = new CompletableFuture<>();
		step(() -> {
			expireCurrent();
			Hold held = holdOf(lease);
			if (held != null) {
				this.queues.keeper().remove(lease);
				held.leave(released, keptUntil);
				pass(held, false);
			}
			else {
				after(() -> released.complete(false));
				advance();
			}
		});
		return released;
	}

	/**
	 * Lets a lease go on outside of this queue, still held by its owner token; waiters
	 * here have to ask the server.
	 * @param lease the lease
	 * @return whether it was held here; {@code null} while the server may not know its
	 * owner token yet
	 */
	@Nullable Boolean dismiss(HeldLease lease) {
		return step(() -> {
			expireCurrent();
			Hold held = holdOf(lease);
			if (held != null && held.transfer() != null) {
				return null;
			}
			if (held != null) {
				this.queues.keeper().remove(lease);
				this.hold = null;
			}
			advance();
			return held != null;
		});
	}

	/**
	 * Ends a lease whose local deadline has passed.
	 * @param lease the lease
	 */
	void expire(HeldLease lease) {
		step(() -> {
			if (holdOf(lease) != null) {
				expireCurrent();
				advance();
			}
		});
	}

	/**
	 * Ends a lease that is still held, because the engine shuts down.
	 * @param lease the lease
	 */
	void shutDown(HeldLease lease) {
		step(() -> {
			if (holdOf(lease) != null) {
				drop(LockLost.Reason.SHUTDOWN);
				advance();
			}
		});
	}

	/**
	 * Ends a lease that the store has freed by force, if it had the lock under this owner
	 * token.
	 * @param lease the lease
	 */
	void forced(HeldLease lease) {
		step(() -> {
			Hold held = holdOf(lease);
			if (held != null && held.owner().equals(lease.owner()) && held.transfer() == null) {
				drop(LockLost.Reason.FORCED);
				advance();
			}
		});
	}

	/**
	 * Does a step with what a lease is the current lease of.
	 * @param <T> what comes of it
	 * @param lease the lease
	 * @param transition given the hold, or {@code null} if the lease is over
	 * @return what comes of it
	 */
	<T extends @Nullable Object> T withHold(HeldLease lease, Function<@Nullable Hold, T> transition) {
		return step(() -> transition.apply(holdOf(lease)));
	}

	/**
	 * Ends the current lease, because the store says that it is not ours: as a part of
	 * the step that finds it out.
	 */
	void disown() {
		drop(LockLost.Reason.NOT_OWNED);
		advance();
	}

	// The server

	/**
	 * A message says that the bid was given the lock. Without a proof that the lease has
	 * not ended since, the answer to a command decides: the one in flight, or the next.
	 * @param grant the message
	 */
	void granted(Grant grant) {
		step(() -> {
			Bid wanted = this.bid;
			if (wanted == null || !wanted.owner().equals(grant.owner())) {
				forgetUnlessOurs(grant.owner(), LockQueues.UNKNOWN_LEASE, false);
				return;
			}
			this.lastGrant = grant;
			if (!takeIfProven(wanted, grant)) {
				wanted.granted();
				lookNow(wanted);
			}
		});
	}

	private boolean takeIfProven(Bid wanted, Grant grant) {
		if (this.store.needsConfirmation() || !wanted.isProven(grant)) {
			return false;
		}
		long now = this.queues.now();
		take(new Hold(wanted.owner(), grant.lease(), wanted.deadlineOf(grant, now), grant.granted(), now), false);
		return true;
	}

	/**
	 * Asks again now, if this queue waits for a message.
	 */
	void look() {
		step(() -> {
			if (this.bid != null) {
				lookNow(this.bid);
			}
		});
	}

	private void lookNow(Bid wanted) {
		if (wanted.isLooking()) {
			wanted.stopLooking();
			advance();
		}
	}

	@Override
	public long dueAt() {
		return this.dueAt;
	}

	@Override
	public void due(long now) {
		// Each step sets it again.
		this.dueAt = this.never;
		this.store.dispatch(() -> step(() -> dueNow(now)));
	}

	private void dueNow(long now) {
		if (this.bid != null && this.bid.isOverdue(now, this.store::deadline)) {
			failed(this.bid, noAnswer());
		}
		else if (this.bid != null && this.bid.isLookDue(now)) {
			if (this.bid.isAwaitingLeftovers()) {
				leftoversFailed(this.bid, noAnswer());
				return;
			}
			this.bid.stopLooking();
			advance();
		}
		else if (this.hold != null && this.hold.isTransferDue(now, this.store.commandTimeout(), this.never)) {
			retryTransfer(this.hold, now);
		}
	}

	private LockStoreException noAnswer() {
		return this.store.noAnswer(this.key);
	}

	/**
	 * Decides what comes next. Called whenever a waiter, an answer or a holder has come
	 * or gone.
	 */
	private void advance() {
		if (this.hold != null) {
			if (this.hold.current() == null) {
				pass(this.hold, false);
			}
		}
		else if (this.waiters.isEmpty()) {
			if (this.bid == null || !this.bid.isAsking()) {
				retire();
			}
		}
		else if (this.bid == null || !(this.bid.isAsking() || this.bid.isLooking())) {
			ask();
		}
	}

	private void ask() {
		Waiter first = this.waiters.first();
		long now = this.queues.now();
		if (this.bid == null) {
			this.bid = new Bid(first.owner(), first.options().lease(), now);
		}
		Ask ask = this.bid.ask(first.isPatient() && this.queues.isSubscribed(), this.queues.leftovers(this.key), now);
		Together together = first.together();
		if (together != null) {
			after(() -> together.offer(this.key, ask)
				.whenComplete((answer, failure) -> answered(ask, answer, failure)));
		}
		else {
			after(() -> this.store.send(this.key, ask, this.claim, this.fair)
				.whenComplete((answer, failure) -> answered(ask, answer, failure)));
		}
	}

	private void answered(Ask ask, @Nullable Acquisition answer, @Nullable Throwable failure) {
		step(() -> {
			Bid asked = this.bid;
			if (asked == null || !asked.accept(ask)) {
				if (!(failure instanceof NotSentException) && !isOvertaken(ask, answer)
						&& (ask.queue() || !(answer instanceof Refused))) {
					forgetUnlessOurs(ask.owner(), ask.lease(), !(answer instanceof Refused));
				}
			}
			else if (failure != null) {
				failed(asked, this.store.storeFailure(this.key, failure));
			}
			else if (answer instanceof Granted granted) {
				long deadline = Deadline.ofLease(ask.sentAt(), ask.lease());
				take(new Hold(ask.owner(), ask.lease(), deadline, granted, this.queues.now()), true);
			}
			else if (answer instanceof Refused refused) {
				refused(asked, ask, refused);
			}
			else {
				// Nobody was asked, because not all of several keys could be had
				this.waiters.takeIf((waiter) -> waiter.together() != null).forEach((waiter) -> after(waiter::cancel));
				advance();
			}
		});
	}

	/**
	 * Returns whether an answer was only overtaken by the message of the grant that came
	 * after it on the server: there is nothing left of it then to forget.
	 */
	private boolean isOvertaken(Ask ask, @Nullable Acquisition answer) {
		Grant grant = this.lastGrant;
		return grant != null && grant.owner().equals(ask.owner()) && answer instanceof Refused
				&& answer.serverMicros() <= grant.granted().serverMicros();
	}

	private void refused(Bid asked, Ask ask, Refused refused) {
		boolean overtaken = isOvertaken(ask, refused);
		asked.refused(ask, refused, this.store.lookInterval(), this.queues.now());
		Grant grant = this.lastGrant;
		if (overtaken && grant != null && takeIfProven(asked, grant)) {
			return;
		}
		CompletionStage<Boolean> leftovers = asked.leftovers(this.queues.leftovers(this.key));
		if (leftovers != null && !isDowngrade()) {
			awaitLeftovers(asked, leftovers);
			return;
		}
		this.waiters.takeOver(this.queues.now()).forEach(this::refuse);
		if (this.waiters.isEmpty()) {
			retire();
		}
		else if (!ask.queue() && this.queues.isSubscribed()) {
			ask();
		}
		else if (overtaken) {
			// Once: from a store that tells no time every answer looks overtaken
			this.lastGrant = null;
			asked.granted();
			lookNow(asked);
		}
		else if (!ask.queue()) {
			after(() -> this.queues.subscribe(this));
		}
	}

	/**
	 * Lets the waiters wait until what an earlier, failed acquisition of this instance
	 * may have left in the store is given back. Those that have no time left wait for
	 * that once; a try for several keys goes on one key after the other.
	 */
	private void awaitLeftovers(Bid asked, CompletionStage<Boolean> leftovers) {
		long now = this.queues.now();
		boolean again = asked.awaitLeftovers(leftovers, unknownHolder(), now + this.store.commandTimeout().toNanos());
		this.waiters.takeIf((waiter) -> waiter.together() != null).forEach((waiter) -> after(waiter::tryOneByOne));
		if (again) {
			this.waiters.takeOver(now).forEach(this::refuse);
		}
		if (this.waiters.isEmpty()) {
			retire();
			return;
		}
		after(() -> leftovers.whenComplete((answered, failure) -> this.store.dispatch(() -> step(() -> {
			if (this.bid != asked || !asked.isAwaiting(leftovers)) {
				return;
			}
			if (failure != null) {
				leftoversFailed(asked, this.store.storeFailure(this.key, failure));
			}
			else {
				lookNow(asked);
			}
		}))));
	}

	private void leftoversFailed(Bid asked, LockStoreException failure) {
		long now = this.queues.now();
		asked.leftoversFailed(failure, now);
		this.waiters.takeOver(now).forEach(this::refuse);
		if (this.waiters.isEmpty()) {
			retire();
		}
	}

	private LockStoreException unknownHolder() {
		return new LockStoreException(
				"Lock '%s' may be held by an earlier acquisition of this instance that failed: its give-back is unanswered"
					.formatted(this.key),
				null, true);
	}

	private void failed(Bid asked, LockStoreException failure) {
		if (asked.failed(failure, this.queues.now())) {
			this.waiters.takeOver(this.queues.now()).forEach(this::refuse);
		}
		else {
			this.waiters.takeAll().forEach((waiter) -> fail(waiter, failure));
		}
		if (this.waiters.isEmpty()) {
			retire();
		}
	}

	private void take(Hold taken, boolean confirmed) {
		this.bid = null;
		this.hold = taken;
		pass(taken, confirmed);
	}

	/**
	 * Decides who has the lock next, while nobody here has it.
	 */
	private void pass(Hold held, boolean confirmed) {
		if (this.waiters.isEmpty() || held.keptUntil() != null) {
			giveBack(held);
			return;
		}
		Waiter next = this.waiters.first();
		long now = this.queues.now();
		boolean known = next.owner().equals(held.owner());
		boolean entitled = known || this.store.isQueueing();
		boolean turnOver = held.isTurnOver(now) && !known;
		// What another's command gave, or is to give to a successor, must be told to the
		// server first, and be confirmed.
		boolean unconfirmed = this.store.needsConfirmation() && !(confirmed && known);
		boolean valid = !unconfirmed && (confirmed ? held.isValid(now) : held.isFresh(next.options().lease(), now));
		if (valid && entitled && !turnOver) {
			give(held, next);
		}
		else if (held.transfer() == null) {
			if (turnOver && this.queues.isSubscribed()) {
				yieldTurn(held, next);
			}
			else if (turnOver || !entitled) {
				giveBack(held);
			}
			else if (confirmed && !unconfirmed) {
				this.waiters.remove(next);
				fail(next, new LockStoreException(
						"The store answered for lock '%s' only after its lease of %s expired: use a longer lease"
							.formatted(this.key, DurationText.of(next.options().lease())),
						null));
				giveBack(held);
			}
			else {
				send(held, held.transferTo(next.owner(), next.options().lease(), now));
			}
		}
		// Else the answer of the transfer on its way comes here again.
	}

	private void give(Hold held, Waiter next) {
		this.waiters.remove(next);
		boolean untold = !next.owner().equals(held.owner()) && held.transfer() == null;
		Transfer transfer = untold ? held.transferTo(next.owner(), next.options().lease(), this.queues.now()) : null;
		HeldLease lease = new HeldLease(this, next, held.takeToken(), held.deadline(), this.queues);
		held.enter(lease);
		if (next.owner().equals(held.owner()) && held.lease().compareTo(next.options().lease()) < 0) {
			// A grant set a shorter lease; a transfer would set the full one.
			lease.times().extendFirst(this.queues.now());
		}
		this.queues.keeper().add(lease);
		after(() -> next.give(lease));
		if (transfer != null) {
			send(held, transfer);
		}
		this.waiters.takeImpatient().forEach(this::refuse);
	}

	private void giveBack(Hold held) {
		if (held.transfer() != null) {
			// Its answer comes to pass() again, and then here; or its failure, which may
			// mean that the server has done it.
			if (this.store.needsConfirmation() && !held.isTransferSent()) {
				giveUp(held, held.transfer(), held.transferFailure());
				advance();
			}
			return;
		}
		this.hold = null;
		after(this.queues.givingBack(this.key, held.owner(), held.longestRest(this.queues.now()), held.keptUntil(),
				held.leavers().takeAll()));
		advance();
	}

	private void yieldTurn(Hold held, Waiter next) {
		this.hold = null;
		long now = this.queues.now();
		Bid yielded = new Bid(next.owner(), next.options().lease(), now);
		yielded.yielded();
		this.bid = yielded;
		Ask ask = yielded.ask(true, null, now);
		after(this.queues.releasing(this.key, held.owner(), held.longestRest(now), held.leavers().takeAll(),
				() -> yieldTurn(held.owner(), ask)));
	}

	private CompletionStage<Boolean> yieldTurn(String owner, Ask ask) {
		return this.store.yieldTurn(this.key, owner, ask).whenComplete((outcome, failure) -> {
			if (outcome != null && outcome.next() instanceof Granted && this.store.needsConfirmation()) {
				confirmTurn(ask);
			}
			else {
				answered(ask, (outcome != null) ? outcome.next() : null, failure);
			}
		}).thenApply(Yielded::released);
	}

	/**
	 * Asks once more for a lock that came round at once, as nobody else waited.
	 */
	private void confirmTurn(Ask ask) {
		step(() -> {
			Bid asked = this.bid;
			if (asked == null || !asked.accept(ask)) {
				forgetUnlessOurs(ask.owner(), ask.lease(), true);
				return;
			}
			asked.granted();
			advance();
		});
	}

	private void send(Hold held, Transfer transfer) {
		after(() -> this.store.transfer(this.key, transfer,
				(answer, failure) -> transferred(held, transfer, answer, failure)));
	}

	private void transferred(Hold held, Transfer transfer, @Nullable Acquisition answer, @Nullable Throwable failure) {
		step(() -> {
			if (this.hold != held || !transfer.equals(held.transfer())) {
				if (!(answer instanceof Refused)) {
					forgetUnlessOurs(transfer.successor(), transfer.lease(), true);
				}
			}
			else if (answer instanceof Granted granted) {
				held.transferred(transfer, granted, this.queues.now());
				Runnable confirmed = held.leavers().confirmed();
				HeldLease current = held.current();
				if (current == null) {
					pass(held, true);
				}
				else if (!current.owner().equals(held.owner())) {
					send(held, held.transferTo(current.owner(), current.options().lease(), this.queues.now()));
				}
				// The next command first
				after(confirmed);
			}
			else if (failure != null) {
				transferFailed(held, this.store.storeFailure(this.key, failure));
			}
			else if (held.current() != null) {
				drop(LockLost.Reason.NOT_OWNED);
				advance();
			}
			else {
				this.hold = null;
				after(held.leavers().lost());
				advance();
			}
		});
	}

	/**
	 * Lets the transfer be sent again. Those whose time is over do not wait for that
	 * where it has to confirm that the lock is theirs.
	 */
	private void transferFailed(Hold held, LockStoreException failure) {
		long now = this.queues.now();
		held.transferFailed(failure, now);
		if (this.store.needsConfirmation() && held.current() == null) {
			this.waiters.takeOver(now).forEach(this::refuse);
			advance();
		}
	}

	/**
	 * Sends a transfer again that failed or was not answered. With nobody in the lock and
	 * the lease over, there is nothing left to pass on.
	 */
	private void retryTransfer(Hold held, long now) {
		Transfer failed = held.transfer();
		if (failed == null) {
			return;
		}
		if (this.store.needsConfirmation() && held.isTransferSent()) {
			transferFailed(held, noAnswer());
			return;
		}
		if (held.current() != null || held.deadline() - now > 0) {
			send(held, held.transferTo(failed.successor(), failed.lease(), now));
			return;
		}
		LockStoreException known = held.transferFailure();
		LockStoreException failure = (known != null) ? known : new LockStoreException(
				"The store did not answer for lock '%s' before its lease expired".formatted(this.key), null);
		this.waiters.takeOver(now).forEach((waiter) -> fail(waiter, failure));
		giveUp(held, failed, failure);
		if (!this.waiters.isEmpty()) {
			// Contention is a fact, so that the waiters retry for as long as they wait
			Waiter first = this.waiters.first();
			this.bid = new Bid(first.owner(), first.options().lease(), now);
			this.bid.mayBeTransferred();
			this.bid.failed(failure, now);
		}
		advance();
	}

	/**
	 * Ends a hold of which the server may know either owner token. The token of a waiter
	 * is not abandoned, as the waiter asks for it again: a late withdrawal would free the
	 * lock that it then has.
	 */
	private void giveUp(Hold held, Transfer transfer, @Nullable LockStoreException failure) {
		this.hold = null;
		after(held.leavers().failed((failure != null) ? failure : noAnswer()));
		if (!this.waiters.has(held.owner())) {
			abandon(held.owner(), held.longestRest(this.queues.now()), true, held.keptUntil());
		}
		if (!this.waiters.has(transfer.successor())) {
			abandon(transfer.successor(), transfer.lease(), true, held.keptUntil());
		}
	}

	private void retire() {
		Bid ended = this.bid;
		this.bid = null;
		this.retired = true;
		if (ended != null && ended.isKnown()) {
			abandon(ended.owner(), ended.lease(), ended.mayHold());
		}
		this.queues.remove(this);
	}

	private void expireCurrent() {
		HeldLease current = (this.hold != null) ? this.hold.current() : null;
		if (current != null && current.times().isOver(this.queues.now())) {
			drop(current.times().reasonOfEnd());
		}
	}

	/**
	 * Ends the current lease as lost, and with it the releasers that no answer has
	 * confirmed. A transfer on its way is undone now, and once more when it is answered.
	 */
	private void drop(LockLost.Reason reason) {
		Hold dropped = this.hold;
		HeldLease lost = (dropped != null) ? dropped.current() : null;
		this.hold = null;
		if (dropped != null && lost != null) {
			this.queues.keeper().remove(lost);
			Transfer transfer = dropped.transfer();
			after(lost.losing(reason));
			boolean known = reason == LockLost.Reason.NOT_OWNED || reason == LockLost.Reason.FORCED;
			LockStoreException failure = dropped.transferFailure();
			after(known ? dropped.leavers().lost()
					: dropped.leavers().failed((failure != null) ? failure : noAnswer()));
			boolean mayHold = !known && transfer != null;
			abandon(dropped.owner(), dropped.longestRest(this.queues.now()), mayHold);
			if (transfer != null) {
				abandon(transfer.successor(), transfer.lease(), mayHold);
			}
		}
	}

	private @Nullable Hold holdOf(HeldLease lease) {
		return (this.hold != null && this.hold.current() == lease) ? this.hold : null;
	}

	private void forgetUnlessOurs(String owner, Duration lease, boolean mayHold) {
		boolean wanted = this.bid != null && this.bid.owner().equals(owner);
		boolean held = this.hold != null && this.hold.isOurs(owner);
		if (!wanted && !held) {
			abandon(owner, lease, mayHold);
		}
	}

	private void abandon(String owner, Duration lease, boolean mayHold) {
		abandon(owner, lease, mayHold, null);
	}

	private void abandon(String owner, Duration lease, boolean mayHold, @Nullable Long keptUntil) {
		after(this.queues.abandoning(this.key, owner, lease, mayHold, keptUntil));
	}

	// Waiters

	private void refuse(Waiter waiter) {
		LockStoreException failure = failure();
		if (failure != null) {
			fail(waiter, failure);
		}
		else {
			after(waiter::refuse);
		}
	}

	/**
	 * Returns why nothing is known of who has the lock, if that is so.
	 */
	private @Nullable LockStoreException failure() {
		if (this.bid != null) {
			return this.bid.failure();
		}
		if (this.hold != null && this.hold.current() == null && this.store.needsConfirmation()) {
			return this.hold.transferFailure();
		}
		return null;
	}

	private void fail(Waiter waiter, LockStoreException failure) {
		after(() -> waiter.fail(failure));
	}

	/**
	 * Returns those who wait, each with what is known of it.
	 * @param now the time
	 * @return the waiters, in their order
	 */
	List<LockWaiting> waiting(long now) {
		return this.steps.look(() -> this.waiters.map((waiter) -> new LockWaiting(this.key, waiter.options().name(),
				waiter.thread(), Duration.ofNanos(Math.max(0, now - waiter.startedAt())))));
	}

	// Steps

	private void after(Runnable effect) {
		this.steps.after(effect);
	}

	private void step(Runnable transition) {
		this.steps.run(() -> {
			transition.run();
			return true;
		});
	}

	private <T extends @Nullable Object> T step(Supplier<T> transition) {
		return this.steps.run(transition);
	}

	private void schedule() {
		long at = this.never;
		if (this.bid != null) {
			at = this.bid.dueAt(this.store::deadline, this.never);
		}
		else if (this.hold != null) {
			at = this.hold.dueAt(this.store.commandTimeout(), this.never);
		}
		this.dueAt = at;
		if (at != this.never) {
			this.queues.watch().wakeAt(at);
		}
	}

}
