package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Granted;

/**
 * The hold of this instance on the server, over all its successive holders.
 *
 * @param owner the owner token that the server is known to have; a transfer in flight may
 * have replaced it
 * @param lease the lease
 * @param deadline the local deadline
 * @param latestEnd the time until which the server may keep the lock, for any outcome of
 * the commands in flight
 * @param tokens the fencing tokens
 * @param othersWaiting whether other instances wait, or may wait
 * @param turn the turn of this instance
 * @param asked whether a late command may queue the owner token again, or has done so
 */
record Tenure(String owner, Duration lease, long deadline, long latestEnd, Tokens tokens, boolean othersWaiting,
		Turn turn, boolean asked) {

	static Tenure of(String owner, Duration lease, long deadline, Granted granted, long now, boolean asked) {
		return new Tenure(owner, lease, deadline, Deadline.after(now, lease),
				Tokens.of(granted.firstToken(), granted.lastToken()), granted.othersWaiting(), new Turn(now, 0), asked);
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
		return this.tokens.isLeft() && this.deadline - now >= shorter / 2;
	}

	/**
	 * Returns whether the lease is shorter than the holder requested: a grant set a
	 * shorter one, or a third of it has passed.
	 * @param wanted the lease of the holder
	 * @param now the time
	 * @return whether the holder has to extend it
	 */
	boolean isShort(Duration wanted, long now) {
		return this.lease.compareTo(wanted) < 0 || this.deadline - now < wanted.toNanos() / 3 * 2;
	}

	boolean isValid(long now) {
		return this.tokens.isLeft() && this.deadline - now > 0;
	}

	/**
	 * Returns whether a holder that retains the lock may enter and release it without a
	 * command. Half of the tokens and two thirds of its lease must be left.
	 * @param wanted its lease
	 * @param now the time
	 * @return {@code false} if a transfer should renew them in the background
	 */
	boolean isAmple(Duration wanted, long now) {
		return this.lease.equals(wanted) && this.tokens.isHalfLeft() && this.deadline - now >= wanted.toNanos() / 3 * 2;
	}

	/**
	 * Returns whether the lock is retainable: no other instance waits for it.
	 * @param now the time
	 * @return whether it is
	 */
	boolean isRetainable(long now) {
		return !this.othersWaiting && this.deadline - now > 0;
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
		return new Tenure(this.owner, this.lease, this.deadline, this.latestEnd, this.tokens.taken(),
				this.othersWaiting, this.turn.taken(), this.asked);
	}

	/**
	 * Marks that another instance may wait.
	 * @return the copy
	 */
	Tenure othersMayWait() {
		return new Tenure(this.owner, this.lease, this.deadline, this.latestEnd, this.tokens, true, this.turn,
				this.asked);
	}

	/**
	 * Marks that a late command may have queued the owner token again.
	 * @return the copy
	 */
	Tenure mayBeQueued() {
		return new Tenure(this.owner, this.lease, this.deadline, this.latestEnd, this.tokens, this.othersWaiting,
				this.turn, true);
	}

	Tenure validUntil(long newDeadline) {
		return (newDeadline == this.deadline) ? this : new Tenure(this.owner, this.lease, newDeadline, this.latestEnd,
				this.tokens, this.othersWaiting, this.turn, this.asked);
	}

	Tenure mayEndAt(long end) {
		return new Tenure(this.owner, this.lease, this.deadline, Deadline.later(this.latestEnd, end), this.tokens,
				this.othersWaiting, this.turn, this.asked);
	}

	Tenure transferred(Transfer done, Granted granted, long now) {
		// The owner token that a late command may queue is still the current one.
		boolean stillAsked = this.asked && done.owner().equals(done.successor());
		// A message may be younger than the answer.
		return new Tenure(done.successor(), done.lease(), Deadline.ofLease(done.sentAt(), done.lease()),
				Deadline.later(this.latestEnd, Deadline.after(now, done.lease())), this.tokens.extended(granted),
				this.othersWaiting || granted.othersWaiting(), this.turn, stillAsked);
	}

	/**
	 * The reserved fencing tokens.
	 *
	 * @param next the next token
	 * @param last the last reserved token
	 * @param low the last token before more should be reserved
	 */
	record Tokens(long next, long last, long low) {

		static Tokens of(long first, long last) {
			return new Tokens(first, last, first + (last - first) / 2);
		}

		boolean isLeft() {
			return this.next <= this.last;
		}

		boolean isHalfLeft() {
			return this.next <= this.low;
		}

		Tokens taken() {
			return new Tokens(this.next + 1, this.last, this.low);
		}

		// Without a gap, no other holder has tokens from the next one on.
		Tokens extended(Granted granted) {
			boolean gap = granted.firstToken() > this.last + 1 || granted.lastToken() < this.next;
			return of(gap ? granted.firstToken() : this.next, granted.lastToken());
		}

	}

}
