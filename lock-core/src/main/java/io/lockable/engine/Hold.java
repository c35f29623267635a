package io.lockable.engine;

import java.time.Duration;

import io.lockable.store.Granted;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds on the server for one key: under which owner token, until
 * when, and with which fencing tokens. Guarded by the mutex of its {@link LockQueue}.
 */
final class Hold {

	private String owner;

	private Duration lease;

	private long deadline;

	private long nextToken;

	private long lastToken;

	private boolean othersWaiting;

	private int handOffs;

	private final long since;

	private @Nullable Transfer transfer;

	Hold(String owner, Duration lease, long deadline, Granted granted, long now) {
		this.owner = owner;
		this.lease = lease;
		this.deadline = deadline;
		this.nextToken = granted.firstToken();
		this.lastToken = granted.lastToken();
		this.othersWaiting = granted.othersWaiting();
		this.since = now;
	}

	/**
	 * Returns the owner token that the server knows; that of a transfer on its way may
	 * have replaced it already.
	 * @return the owner token
	 */
	String owner() {
		return this.owner;
	}

	Duration lease() {
		return this.lease;
	}

	long deadline() {
		return this.deadline;
	}

	/**
	 * Returns whether enough of the lease is left to enter on it without asking: half of
	 * it, or half of what the next holder wants if that is less.
	 * @param wanted the lease of the next holder
	 * @param now the time
	 * @return whether the next holder may enter at once
	 */
	boolean isFresh(Duration wanted, long now) {
		Duration shorter = (wanted.compareTo(this.lease) < 0) ? wanted : this.lease;
		return this.nextToken <= this.lastToken && this.deadline - now >= shorter.toNanos() / 2;
	}

	/**
	 * Returns whether a token is left to enter with, and the lease has not ended.
	 * @param now the time
	 * @return whether a holder may enter
	 */
	boolean isValid(long now) {
		return this.nextToken <= this.lastToken && this.deadline - now > 0;
	}

	/**
	 * Returns whether other instances wait and this one has had its turn.
	 * @param now the time
	 * @return whether to let others go first
	 */
	boolean isTurnOver(long now) {
		return this.othersWaiting && (this.handOffs >= LockQueue.TURN_HAND_OFFS || now - this.since >= LockQueue.TURN);
	}

	long takeToken() {
		this.handOffs++;
		return this.nextToken++;
	}

	@Nullable Transfer transfer() {
		return this.transfer;
	}

	/**
	 * Notes that a transfer is on its way. Whether or not it arrives is unknown from now
	 * on, so the earlier one of the two possible deadlines counts.
	 * @param transfer what is sent
	 */
	void sent(Transfer transfer) {
		this.transfer = transfer;
		long deadline = Deadline.ofLease(transfer.sentAt(), transfer.lease());
		if (deadline - this.deadline < 0) {
			this.deadline = deadline;
		}
	}

	void transferred(Transfer done, Granted granted) {
		this.transfer = null;
		this.owner = done.successor();
		this.lease = done.lease();
		this.nextToken = granted.firstToken();
		this.lastToken = granted.lastToken();
		this.othersWaiting = granted.othersWaiting();
		this.deadline = Deadline.ofLease(done.sentAt(), done.lease());
	}

	void extended(long deadline) {
		if (deadline - this.deadline > 0) {
			this.deadline = deadline;
		}
	}

	/**
	 * A change of the owner token on its way to the server. Until it is answered, either
	 * token may be the one that stands there.
	 *
	 * @param successor the new owner token
	 * @param lease the new lease
	 * @param sentAt when it was sent
	 */
	record Transfer(String successor, Duration lease, long sentAt) {

	}

}
