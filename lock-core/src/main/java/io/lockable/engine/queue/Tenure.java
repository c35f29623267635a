package io.lockable.engine.queue;

import java.time.Duration;

import io.lockable.Internal;
import io.lockable.engine.time.Deadline;
import io.lockable.store.Granted;

/**
 * What this instance has on the server, while its holders follow one another.
 *
 * @param owner the owner token that the server is known to have; a transfer in flight may
 * have replaced it
 * @param lease the lease
 * @param deadline the local deadline
 * @param nextToken the next fencing token
 * @param lastToken the last fencing token that is reserved
 * @param lowToken the last token before more should be reserved
 * @param othersWaiting whether other instances wait, or may wait
 * @param latestEnd until when the server may keep the lock, whatever arrives of the
 * commands in flight
 * @param turn how long the holders of this instance may follow one another
 * @param asked whether a command of the owner token may arrive late, as the message came
 * before its answer: it would queue the token again
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
	 * Returns how long the server may keep the lock if nobody gives it back.
	 * @param now the time
	 * @return the lease, or what is left of a longer one that it was extended to
	 */
	Duration longestRest(long now) {
		return Duration.ofNanos(Math.max(this.lease.toNanos(), this.latestEnd - now));
	}

	/**
	 * Returns whether enough of the lease is left to enter on it without asking: half of
	 * it, or half of the lease of the next holder if that is shorter.
	 * @param wanted the lease of the next holder
	 * @param now the time
	 * @return whether the next holder may enter at once
	 */
	boolean isFresh(Duration wanted, long now) {
		long shorter = Math.min(wanted.toNanos(), this.lease.toNanos());
		return hasToken() && this.deadline - now >= shorter / 2;
	}

	boolean isValid(long now) {
		return hasToken() && this.deadline - now > 0;
	}

	/**
	 * Returns whether a holder that retains the lock may enter, and release it, without a
	 * command: half of the tokens and two thirds of its lease are left.
	 * @param wanted its lease
	 * @param now the time
	 * @return {@code false} if a transfer should get more of them in the background
	 */
	boolean isAmple(Duration wanted, long now) {
		return this.lease.equals(wanted) && this.nextToken <= this.lowToken
				&& this.deadline - now >= wanted.toNanos() / 3 * 2;
	}

	/**
	 * Returns whether the lock can be retained: no other instance waits for it.
	 * @param now the time
	 * @return whether it can
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
	 * Returns whether other instances wait and this one has had its turn.
	 * @param now the time
	 * @return whether to let others go first
	 */
	boolean isTurnOver(long now) {
		return this.othersWaiting && this.turn.isOver(now);
	}

	Tenure tokenTaken() {
		return new Tenure(this.owner, this.lease, this.deadline, this.nextToken + 1, this.lastToken, this.lowToken,
				this.othersWaiting, this.latestEnd, this.turn.next(), this.asked);
	}

	/**
	 * Notes that another instance may wait.
	 * @return the copy
	 */
	Tenure wanted() {
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
		// Without a gap, nobody else has tokens from the next one on
		boolean gap = granted.firstToken() > this.lastToken + 1 || granted.lastToken() < this.nextToken;
		long first = gap ? granted.firstToken() : this.nextToken;
		// A message may be younger than the answer
		return new Tenure(done.successor(), done.lease(), Deadline.ofLease(done.sentAt(), done.lease()), first,
				granted.lastToken(), low(first, granted.lastToken()), this.othersWaiting || granted.othersWaiting(),
				Deadline.later(this.latestEnd, Deadline.after(now, done.lease())), this.turn, false);
	}

	/**
	 * The turn of this instance: its holders follow one another, without asking the
	 * server who came first. While other instances wait, a turn ends after some holders
	 * or some time.
	 *
	 * @param since when it began
	 * @param holders how many holders it has had
	 */
	public record Turn(long since, int holders) {

		/**
		 * How many holders a turn has at most.
		 */
		public static final int MAX_HOLDERS = 16;

		/**
		 * How long a turn may last before the next holder enters.
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
		 * @return whether to let waiting instances go first
		 */
		boolean isOver(long now) {
			return this.holders >= MAX_HOLDERS || now - this.since >= MAX_TIME.toNanos();
		}

	}

}
