package io.lockable.engine.lease;

import io.lockable.Internal;
import io.lockable.engine.time.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * An owner token that the server may still know. Thread-safe.
 */
@Internal
public final class Orphan {

	private final OwnerToken token;

	private final @Nullable Long keptUntil;

	private long until;

	private long retryAt;

	private boolean wanted = true;

	private boolean failed;

	private boolean forgotten;

	private boolean marked;

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
	 * Notes that the token is abandoned once more: a command that is sent from now on is
	 * wanted.
	 * @param newUntil when its lease has surely ended
	 * @return {@code false} if it is forgotten already
	 */
	synchronized boolean isWantedAgain(long newUntil) {
		if (!this.forgotten) {
			this.wanted = true;
			this.until = Deadline.later(this.until, newUntil);
		}
		return !this.forgotten;
	}

	/**
	 * Marks a token that may hold its lock.
	 * @return {@code false} if it is marked or forgotten already
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
	 * Notes that a command is sent, unless one is unanswered or none is wanted.
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
	 * Returns whether the lease has surely ended, and forgets the token then.
	 * @param now the time
	 * @return whether there is nothing left to do
	 */
	synchronized boolean isOver(long now) {
		this.forgotten |= now - this.until >= 0;
		return this.forgotten;
	}

	/**
	 * What comes after a command.
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
