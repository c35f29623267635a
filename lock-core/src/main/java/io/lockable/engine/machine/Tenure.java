package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.Internal;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Granted;

/**
 * The hold of this instance on the server, over all its successive holders.
 *
 * @param owner the owner token that the server is known to have; a transfer in flight may
 * have replaced it
 * @param lease the lease
 * @param deadline the local deadline
 * @param nextToken the next fencing token
 * @param lastToken the last reserved fencing token
 * @param lowToken the last token before more should be reserved
 * @param othersWaiting whether other instances wait, or may wait
 * @param latestEnd the time until which the server may keep the lock, for any outcome of
 * the commands in flight
 * @param turn the turn of this instance
 * @param asked whether a command of the owner token may arrive late, because the message
 * preceded its answer: it would queue the token again
 */
@Internal
public record Tenure(String owner, Duration lease, long deadline, long nextToken, long lastToken, long lowToken,
		boolean othersWaiting, long latestEnd, Turn turn, boolean asked) {

	static Tenure of(String owner, Duration lease, long deadline, Granted granted, long now) {
		return of(owner, lease, deadline, granted, now, false);
	}

	static Tenure of(String owner, Duration lease, long deadline, Granted granted, long now, boolean asked) {
		return new Tenure(owner, lease, deadline, granted.firstToken(), granted.lastToken(),
				low(granted.firstToken(), granted.lastToken()), granted.othersWaiting(), Deadline.after(now, lease),
				Turn.begin(now), asked);
	}

	/**
	 * Returns the maximum time for which the server keeps the lock without a release.
	 * @param now the time
	 * @return the lease, or the rest of a longer extension
	 */
	Duration longestRest(long now) {
		return Duration.ofNanos(Math.max(this.lease.toNanos(), this.latestEnd - now));
	}

	/**
	 * Returns whether enough of the lease is left to enter without a command. Enough is
	 * half of the lease, or half of the next holder's lease if that is shorter.
	 * @param wanted the lease of the next holder
	 * @param now the time
	 * @return whether the next holder may enter immediately
	 */
	boolean isFresh(Duration wanted, long now) {
		long shorter = Math.min(wanted.toNanos(), this.lease.toNanos());
		return hasToken() && this.deadline - now >= shorter / 2;
	}

	/**
	 * Returns whether the holder should extend the lease when it enters: a grant set a
	 * shorter one, or a third of it has passed.
	 * @param wanted the lease of the holder
	 * @param now the time
	 * @return whether to extend it
	 */
	boolean isShort(Duration wanted, long now) {
		return this.lease.compareTo(wanted) < 0 || this.deadline - now < wanted.toNanos() / 3 * 2;
	}

	boolean isValid(long now) {
		return hasToken() && this.deadline - now > 0;
	}

	/**
	 * Returns whether a holder that retains the lock may enter and release it without a
	 * command. Half of the tokens and two thirds of its lease must be left.
	 * @param wanted its lease
	 * @param now the time
	 * @return {@code false} if a transfer should renew them in the background
	 */
	boolean isAmple(Duration wanted, long now) {
		return this.lease.equals(wanted) && this.nextToken <= this.lowToken
				&& this.deadline - now >= wanted.toNanos() / 3 * 2;
	}

	/**
	 * Returns whether the lock is retainable: no other instance waits for it.
	 * @param now the time
	 * @return whether it is
	 */
	boolean isRetainable(long now) {
		return !this.othersWaiting && this.deadline - now > 0;
	}

	private static long low(long first, long last) {
		return first + (last - first) / 2;
	}

	private boolean hasToken() {
		return this.nextToken <= this.lastToken;
	}

	/**
	 * Returns whether other instances wait and the turn of this one is over.
	 * @param now the time
	 * @return whether other instances are next
	 */
	boolean isTurnOver(long now) {
		return this.othersWaiting && this.turn.isOver(now);
	}

	Tenure tokenTaken() {
		return new Tenure(this.owner, this.lease, this.deadline, this.nextToken + 1, this.lastToken, this.lowToken,
				this.othersWaiting, this.latestEnd, this.turn.next(), this.asked);
	}

	/**
	 * Marks that another instance may wait.
	 * @return the copy
	 */
	Tenure othersMayWait() {
		return new Tenure(this.owner, this.lease, this.deadline, this.nextToken, this.lastToken, this.lowToken, true,
				this.latestEnd, this.turn, this.asked);
	}

	Tenure validUntil(long newDeadline) {
		if (newDeadline == this.deadline) {
			return this;
		}
		return new Tenure(this.owner, this.lease, newDeadline, this.nextToken, this.lastToken, this.lowToken,
				this.othersWaiting, this.latestEnd, this.turn, this.asked);
	}

	Tenure mayEndAt(long end) {
		return new Tenure(this.owner, this.lease, this.deadline, this.nextToken, this.lastToken, this.lowToken,
				this.othersWaiting, Deadline.later(this.latestEnd, end), this.turn, this.asked);
	}

	Tenure transferred(Transfer done, Granted granted, long now) {
		// Without a gap, no other holder has tokens from the next one on.
		boolean gap = granted.firstToken() > this.lastToken + 1 || granted.lastToken() < this.nextToken;
		long first = gap ? granted.firstToken() : this.nextToken;
		// The owner token that a late command may queue is still the current one.
		boolean stillAsked = this.asked && done.owner().equals(done.successor());
		// A message may be younger than the answer.
		return new Tenure(done.successor(), done.lease(), Deadline.ofLease(done.sentAt(), done.lease()), first,
				granted.lastToken(), low(first, granted.lastToken()), this.othersWaiting || granted.othersWaiting(),
				Deadline.later(this.latestEnd, Deadline.after(now, done.lease())), this.turn, stillAsked);
	}

	/**
	 * The turn of this instance, whose holders follow one another without the server.
	 * While other instances wait, a turn ends after a number of holders or a time.
	 *
	 * @param since the start of the turn
	 * @param holders the number of its holders so far
	 */
	public record Turn(long since, int holders) {

		/**
		 * The maximum number of holders in a turn.
		 */
		public static final int MAX_HOLDERS = 16;

		/**
		 * The maximum age of a turn at which the next holder still enters.
		 */
		public static final Duration MAX_TIME = Duration.ofMillis(20);

		static Turn begin(long now) {
			return new Turn(now, 0);
		}

		Turn next() {
			return new Turn(this.since, this.holders + 1);
		}

		/**
		 * Returns whether the turn is over.
		 * @param now the time
		 * @return whether waiting instances are next
		 */
		boolean isOver(long now) {
			return this.holders >= MAX_HOLDERS || now - this.since >= MAX_TIME.toNanos();
		}

	}

}
