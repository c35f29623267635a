package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

import io.lockable.LockStoreException;
import io.lockable.store.Grant;
import io.lockable.store.Refused;
import org.jspecify.annotations.Nullable;

/**
 * How the server knows this instance while it wants a lock that it does not hold: under
 * one owner token for all its waiters, that of the one who asked first. Either a command
 * is on its way (asking), or it will be asked again later (looking).
 *
 * <p>
 * Guarded by the mutex of its {@link LockQueue}; only ever changes itself.
 */
final class Bid {

	private static final long LOOK_JITTER = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long SILENT_RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	private static final long FIRST_BACK_OFF = TimeUnit.MILLISECONDS.toNanos(5);

	private static final int MAX_DOUBLINGS = 4;

	private final String owner;

	private final Duration lease;

	private @Nullable Ask ask;

	private boolean looking;

	private long lookAt;

	private int backOffs;

	// Whether the server may have queued or granted this owner, so that giving up must
	// tell it.
	private boolean known;

	private boolean knownBefore;

	private boolean answered;

	// Whether a message said that the lock is ours, which the server has not confirmed
	// yet.
	private boolean granted;

	// When the last refusal was asked for, and the server's time of it: 0 if unknown.
	private long askedAt;

	private long serverMicros;

	private @Nullable LockStoreException failure;

	// Whether the last command failed that may have given the owner the lock.
	private boolean mayHold;

	// What failed acquisitions of this instance had left when the command was sent; and
	// what the waiters wait for since its refusal.
	private @Nullable CompletionStage<Boolean> leftovers;

	private @Nullable CompletionStage<Boolean> awaited;

	private boolean hasAwaited;

	Bid(String owner, Duration lease, long now) {
		this.owner = owner;
		this.lease = lease;
		this.askedAt = now;
	}

	String owner() {
		return this.owner;
	}

	Duration lease() {
		return this.lease;
	}

	boolean isAsking() {
		return this.ask != null;
	}

	boolean isLooking() {
		return this.looking;
	}

	/**
	 * Returns whether the server may know the owner token.
	 * @return whether giving up must tell it
	 */
	boolean isKnown() {
		return this.known;
	}

	/**
	 * Returns whether the server has ever said that somebody else holds the lock.
	 * @return whether contention is a fact
	 */
	boolean isAnswered() {
		return this.answered;
	}

	/**
	 * Returns whether that is so by the last answer too.
	 * @return {@code false} if what it refused for may be a leftover of this instance
	 */
	boolean isContended() {
		return this.answered && this.awaited == null;
	}

	/**
	 * Returns whether the owner token may have the lock, because the answer to the last
	 * command is a failure.
	 * @return whether nothing is known of it
	 */
	boolean mayHold() {
		return this.mayHold;
	}

	/**
	 * Returns the failure of the last command, if it failed.
	 * @return the failure, or {@code null}
	 */
	@Nullable LockStoreException failure() {
		return this.failure;
	}

	/**
	 * Notes that a command is sent.
	 * @param queue whether the server is to queue the owner when it refuses
	 * @param leftovers what failed acquisitions of this instance may have left, or
	 * {@code null}
	 * @param now the time
	 * @return what to send
	 */
	Ask ask(boolean queue, @Nullable CompletionStage<Boolean> leftovers, long now) {
		Ask asked = new Ask(this.owner, this.lease, queue, now);
		this.ask = asked;
		this.looking = false;
		this.leftovers = leftovers;
		this.awaited = null;
		this.knownBefore = this.known;
		this.known |= queue;
		return asked;
	}

	/**
	 * Notes that the instance held the lock until now and lets others go first: that they
	 * wait is a fact.
	 */
	void yielded() {
		this.answered = true;
		this.known = true;
		this.knownBefore = true;
	}

	/**
	 * Notes that the instance held the lock until now, and that a transfer to the owner
	 * may have been done.
	 */
	void mayBeTransferred() {
		yielded();
		this.mayHold = true;
	}

	/**
	 * Notes that a message says that the owner has the lock, but the server has to
	 * confirm it.
	 */
	void granted() {
		this.granted = true;
	}

	/**
	 * Returns whether the lock was given to the owner by a message that is still to be
	 * confirmed: then nobody else is known to hold it.
	 * @return whether the next answer decides
	 */
	boolean isGranted() {
		return this.granted;
	}

	/**
	 * Accepts an answer, unless the bid has moved on since the command was sent.
	 * @param answered the command that is answered
	 * @return whether it is the one on its way
	 */
	boolean accept(Ask answered) {
		boolean expected = answered.equals(this.ask);
		if (expected) {
			this.ask = null;
		}
		return expected;
	}

	/**
	 * Notes a refusal, and when to look again: when the holder's lease must have ended or
	 * at a slow interval if a message will come, else after a back-off.
	 * @param refusedAsk the command that was refused
	 * @param refused the answer
	 * @param slowLook the slow interval in nanoseconds
	 * @param now the time
	 */
	void refused(Ask refusedAsk, Refused refused, long slowLook, long now) {
		this.answered = true;
		this.granted = false;
		this.failure = null;
		this.mayHold = false;
		this.askedAt = refusedAsk.sentAt();
		this.serverMicros = refused.serverMicros();
		long holderEnds = refused.remaining().toNanos() + ThreadLocalRandom.current().nextLong(1, LOOK_JITTER);
		lookAt(now + Math.min(holderEnds, refusedAsk.queue() ? slowLook : backOff()));
	}

	/**
	 * Notes a failure.
	 * @param newFailure the failure
	 * @param now the time
	 * @return whether to try again: because the server said that it may work in a moment,
	 * or because it has been waited for already
	 */
	boolean failed(LockStoreException newFailure, long now) {
		this.failure = newFailure;
		this.ask = null;
		this.known = this.knownBefore || !(newFailure instanceof NotSentException);
		this.mayHold |= !(newFailure instanceof NotSentException);
		boolean again = newFailure.isRetryable() || this.answered;
		if (again) {
			long retry = (newFailure instanceof NotSentException) ? SILENT_RETRY : RETRY;
			lookAt(now + Math.max(retry, backOff()));
		}
		return again;
	}

	void stopLooking() {
		this.looking = false;
		this.awaited = null;
	}

	// What failed acquisitions of this instance have left

	/**
	 * Returns what the lock may have been refused for.
	 * @param now what is left of failed acquisitions now
	 * @return what was left when the command was sent, else what is left now; or
	 * {@code null} without either
	 */
	@Nullable CompletionStage<Boolean> leftovers(@Nullable CompletionStage<Boolean> now) {
		return (this.leftovers != null) ? this.leftovers : now;
	}

	/**
	 * Notes that the waiters wait until the leftovers are given back.
	 * @param stage their answer
	 * @param unknown why nothing is known until then
	 * @param until until when to wait for it
	 * @return whether they have waited for leftovers before
	 */
	boolean awaitLeftovers(CompletionStage<Boolean> stage, LockStoreException unknown, long until) {
		boolean before = this.hasAwaited;
		this.hasAwaited = true;
		this.awaited = stage;
		this.failure = unknown;
		lookAt(until);
		return before;
	}

	boolean isAwaitingLeftovers() {
		return this.awaited != null;
	}

	boolean isAwaiting(CompletionStage<Boolean> stage) {
		return this.awaited == stage;
	}

	/**
	 * Notes that the leftovers are not given back, and when to ask again.
	 * @param newFailure why
	 * @param now the time
	 */
	void leftoversFailed(LockStoreException newFailure, long now) {
		this.awaited = null;
		this.failure = newFailure;
		lookAt(now + Math.max(RETRY, backOff()));
	}

	/**
	 * Returns whether the command in flight has gone unanswered for too long.
	 * @param now the time
	 * @param deadlineOf returns when a command is overdue, by when it was sent
	 * @return whether to give it up
	 */
	boolean isOverdue(long now, LongUnaryOperator deadlineOf) {
		return this.ask != null && now - deadlineOf.applyAsLong(this.ask.sentAt()) >= 0;
	}

	/**
	 * Returns whether the last answer is too old to say at the end of a wait that
	 * somebody else holds the lock: the server may have died since.
	 * @param now the time
	 * @param timeout how long a command may take
	 * @return whether to ask once more
	 */
	boolean isStale(long now, Duration timeout) {
		return this.looking && now - this.askedAt >= timeout.toNanos();
	}

	boolean isLookDue(long now) {
		return this.looking && now - this.lookAt >= 0;
	}

	long dueAt(LongUnaryOperator deadlineOf, long never) {
		if (this.ask != null) {
			return deadlineOf.applyAsLong(this.ask.sentAt());
		}
		return this.looking ? this.lookAt : never;
	}

	/**
	 * Returns whether a message proves that the owner has the lock: if the server sent it
	 * after its last answer, which was a refusal. An older one is of a lease that has
	 * ended, and without the server's time of both nothing is known.
	 * @param grant the message
	 * @return {@code false} if only another answer can tell
	 */
	boolean isProven(Grant grant) {
		return this.serverMicros > 0 && grant.granted().serverMicros() > this.serverMicros;
	}

	/**
	 * Returns until when a {@linkplain #isProven proven} lease is surely valid. The
	 * command that set it was another instance's, so its sending time is unknown here;
	 * but the refusal that was asked for at local time {@code s} and carried server time
	 * {@code S} shows that the grant, at server time {@code G}, came no earlier than
	 * {@code s + (G - S)}: Cristian's bound, from <i>Probabilistic clock
	 * synchronization</i>, 1989. It is never taken to be later than its receipt.
	 * @param grant the grant
	 * @param now the time of its receipt
	 * @return the local deadline
	 */
	long deadlineOf(Grant grant, long now) {
		long grantedAt = this.askedAt
				+ TimeUnit.MICROSECONDS.toNanos(grant.granted().serverMicros() - this.serverMicros);
		return Deadline.ofLease(Deadline.earlier(grantedAt, now), grant.lease());
	}

	private void lookAt(long time) {
		this.looking = true;
		this.lookAt = time;
	}

	private long backOff() {
		long limit = FIRST_BACK_OFF << Math.min(this.backOffs++, MAX_DOUBLINGS);
		return ThreadLocalRandom.current().nextLong(limit / 2, limit);
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
