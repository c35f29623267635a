package io.lockable.engine.shell;

import io.lockable.engine.runtime.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * An owner token that the server may still know. Thread-safe.
 */
final class Orphan {

	private final OwnerToken token;

	private final @Nullable Long keptUntil;

	private long until;

	private long retryAt;

	private boolean wanted = true;

	private boolean failed;

	private boolean forgotten;

	private boolean marked;

	private boolean found;

	private int unanswered;

	Orphan(OwnerToken token, long retryAt, long until, @Nullable Long keptUntil) {
		this.token = token;
		this.keptUntil = keptUntil;
		this.retryAt = retryAt;
		this.until = until;
	}

	OwnerToken token() {
		return this.token;
	}

	@Nullable Long keptUntil() {
		return this.keptUntil;
	}

	/**
	 * Records that the token is abandoned again, which requires another command from now
	 * on.
	 * @param newUntil the time at which its lease has certainly expired
	 * @return {@code false} if it is already removed
	 */
	synchronized boolean wantAgain(long newUntil) {
		if (!this.forgotten) {
			this.wanted = true;
			this.until = Deadline.later(this.until, newUntil);
		}
		return !this.forgotten;
	}

	/**
	 * Marks a token that may hold its lock.
	 * @return {@code false} if it is already marked or removed
	 */
	synchronized boolean mark() {
		boolean changed = !this.marked && !this.forgotten;
		this.marked |= changed;
		return changed;
	}

	synchronized boolean isMarked() {
		return this.marked;
	}

	/**
	 * Records the start of a command, unless one is unanswered or none is required.
	 * @return whether to send it
	 */
	synchronized boolean tryStart() {
		boolean starts = this.wanted && !this.forgotten && this.unanswered == 0;
		if (starts) {
			started();
		}
		return starts;
	}

	synchronized void started() {
		this.wanted = false;
		this.unanswered++;
	}

	synchronized Next ended(boolean answered, long nextRetryAt) {
		this.unanswered--;
		this.failed = !answered;
		this.wanted |= this.failed;
		this.retryAt = nextRetryAt;
		if (this.unanswered > 0 || this.forgotten) {
			return Next.WAIT;
		}
		if (this.wanted) {
			return answered ? Next.SEND : Next.RETRY;
		}
		this.forgotten = true;
		return Next.FORGET;
	}

	/**
	 * Records that a withdrawal found the lock. A release of the same token that is sent
	 * later finds none, and is done nevertheless.
	 */
	synchronized void found() {
		this.found = true;
	}

	synchronized boolean isFound() {
		return this.found;
	}

	synchronized boolean isWaiting() {
		return this.wanted && this.unanswered == 0;
	}

	synchronized boolean hasFailed() {
		return this.failed;
	}

	synchronized long retryAt() {
		return this.retryAt;
	}

	synchronized void postpone(long time) {
		this.retryAt = time;
	}

	synchronized long dueAt() {
		return isWaiting() ? Deadline.earlier(this.retryAt, this.until) : this.until;
	}

	/**
	 * Returns whether the lease has certainly expired, and removes the token then.
	 * @param now the time
	 * @return whether the token needs no further action
	 */
	synchronized boolean isOver(long now) {
		this.forgotten |= now - this.until >= 0;
		return this.forgotten;
	}

	/**
	 * The step after a command.
	 */
	enum Next {

		FORGET, SEND, RETRY, WAIT

	}

	/**
	 * An owner token of a lock.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	record OwnerToken(String key, String owner) {

		int length() {
			return this.key.length() + this.owner.length();
		}

	}

}
