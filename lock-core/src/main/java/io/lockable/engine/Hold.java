package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.store.Granted;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds on the server for one key: under which owner token, until
 * when, with which fencing tokens; and which lease has it here, if it is not just being
 * passed on.
 *
 * <p>
 * Guarded by the mutex of its {@link LockQueue}; only ever changes itself and the
 * deadline of its current lease.
 */
final class Hold {

	/**
	 * How many holders of this instance, and for how long, may follow one another while
	 * other instances wait.
	 */
	static final int TURN_HAND_OFFS = 16;

	static final long TURN = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private final long since;

	private String owner;

	private Duration lease;

	private long deadline;

	private long nextToken;

	private long lastToken;

	private boolean othersWaiting;

	// Until when the store may have it at the latest, whatever arrives of what was sent.
	private long latestEnd;

	// Until when it stays locked, although its holder is done.
	private @Nullable Long keptUntil;

	private final Leavers leavers = new Leavers();

	private int handOffs;

	private @Nullable HeldLease current;

	private @Nullable Transfer transfer;

	// Whether it is on its way, and not failed and waiting to be sent again.
	private boolean transferSent;

	private @Nullable LockStoreException transferFailure;

	private long transferRetryAt;

	Hold(String owner, Duration lease, long deadline, Granted granted, long now) {
		this.owner = owner;
		this.lease = lease;
		this.deadline = deadline;
		this.nextToken = granted.firstToken();
		this.lastToken = granted.lastToken();
		this.othersWaiting = granted.othersWaiting();
		this.latestEnd = Deadline.after(now, lease);
		this.since = now;
	}

	/**
	 * Returns the owner token that the server is known to have; that of a transfer on its
	 * way may have replaced it already.
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
	 * Returns for how long the server may keep the lock if nobody gives it back.
	 * @param now the time
	 * @return the lease, or what is left of a longer one that it was extended to
	 */
	Duration longestRest(long now) {
		return Duration.ofNanos(Math.max(this.lease.toNanos(), this.latestEnd - now));
	}

	/**
	 * Notes that the store extends the lease, or may do so.
	 * @param end until when at the latest
	 */
	void mayEndAt(long end) {
		this.latestEnd = Deadline.later(this.latestEnd, end);
	}

	boolean isOurs(String ownerToken) {
		return this.owner.equals(ownerToken) || (this.transfer != null && this.transfer.successor().equals(ownerToken));
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
		return hasToken() && this.deadline - now >= shorter.toNanos() / 2;
	}

	boolean isValid(long now) {
		return hasToken() && this.deadline - now > 0;
	}

	/**
	 * Returns whether other instances wait and this one has had its turn.
	 * @param now the time
	 * @return whether to let others go first
	 */
	boolean isTurnOver(long now) {
		return this.othersWaiting && (this.handOffs >= TURN_HAND_OFFS || now - this.since >= TURN);
	}

	// The holder

	@Nullable HeldLease current() {
		return this.current;
	}

	long takeToken() {
		this.handOffs++;
		return this.nextToken++;
	}

	void enter(HeldLease lease) {
		this.current = lease;
	}

	/**
	 * Ends the current lease.
	 * @param released completed when it is decided whether the lock was still ours
	 * @param until until when nobody may have the lock, or {@code null}
	 */
	void leave(CompletableFuture<Boolean> released, @Nullable Long until) {
		this.current = null;
		this.keptUntil = until;
		this.leavers.add(released);
	}

	/**
	 * Returns until when nobody may have the lock.
	 * @return the time, or {@code null} if the next one may have it at once
	 */
	@Nullable Long keptUntil() {
		return this.keptUntil;
	}

	/**
	 * Returns the holders that have left and wait for an answer of the store.
	 * @return the releasers
	 */
	Leavers leavers() {
		return this.leavers;
	}

	/**
	 * Notes that the store has extended the lease.
	 * @param newDeadline the local deadline by that extension
	 */
	void extended(long newDeadline) {
		if (newDeadline - this.deadline > 0) {
			validUntil(newDeadline);
		}
	}

	// Transfers

	@Nullable Transfer transfer() {
		return this.transfer;
	}

	/**
	 * Notes that a transfer is sent, which covers the releasers so far. Whether or not it
	 * arrives is unknown from now on, so the earlier one of the two possible deadlines
	 * counts.
	 * @param successor the new owner token
	 * @param newLease the new lease
	 * @param now the time
	 * @return what to send
	 */
	Transfer transferTo(String successor, Duration newLease, long now) {
		Transfer sent = new Transfer(this.owner, successor, newLease, now);
		this.transfer = sent;
		this.transferSent = true;
		this.leavers.sent();
		validUntil(Deadline.earlier(this.deadline, Deadline.ofLease(now, newLease)));
		return sent;
	}

	void transferred(Transfer done, Granted granted, long now) {
		this.transfer = null;
		this.transferFailure = null;
		this.owner = done.successor();
		this.lease = done.lease();
		this.nextToken = granted.firstToken();
		this.lastToken = granted.lastToken();
		this.othersWaiting = granted.othersWaiting();
		validUntil(Deadline.ofLease(done.sentAt(), done.lease()));
		mayEndAt(Deadline.after(now, done.lease()));
	}

	void transferFailed(LockStoreException failure, long now) {
		this.transferSent = false;
		this.transferFailure = failure;
		this.transferRetryAt = now + RETRY;
	}

	/**
	 * Returns whether an answer to the transfer is still to come.
	 * @return whether the transfer is on its way
	 */
	boolean isTransferSent() {
		return this.transfer != null && this.transferSent;
	}

	/**
	 * Returns whether the answer to come decides about a successor that does not have the
	 * lock yet.
	 * @param ownerToken the owner token of the successor
	 * @return whether it waits for the answer
	 */
	boolean isTransferSentTo(String ownerToken) {
		return this.current == null && this.transfer != null && this.transferSent
				&& this.transfer.successor().equals(ownerToken);
	}

	/**
	 * Returns the failure of the transfer, if it failed and has not succeeded since.
	 * @return the failure, or {@code null}
	 */
	@Nullable LockStoreException transferFailure() {
		return this.transferFailure;
	}

	boolean isTransferDue(long now, Duration timeout, long never) {
		return this.transfer != null && now - dueAt(timeout, never) >= 0;
	}

	long dueAt(Duration timeout, long never) {
		if (this.transfer == null) {
			return never;
		}
		return this.transferSent ? this.transfer.sentAt() + timeout.toNanos() : this.transferRetryAt;
	}

	private boolean hasToken() {
		return this.nextToken <= this.lastToken;
	}

	private void validUntil(long newDeadline) {
		this.deadline = newDeadline;
		if (this.current != null) {
			this.current.validUntil(newDeadline);
		}
	}

	/**
	 * A change of the owner token on its way to the server. Until it is answered, either
	 * token may be the one that stands there.
	 *
	 * @param owner the old owner token
	 * @param successor the new owner token
	 * @param lease the new lease
	 * @param sentAt when it was sent
	 */
	record Transfer(String owner, String successor, Duration lease, long sentAt) {

	}

}
