package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Grant;
import io.lockable.store.Refused;

/**
 * How the server knows this instance while it wants a lock that it does not hold: one
 * owner token for all its waiters, that of the one who asked first. Guarded by the mutex
 * of its {@link LockQueue}.
 */
final class Candidate {

	private final String owner;

	private final Duration lease;

	// Whether the server may have queued or granted this owner, so that giving up must
	// tell it.
	private boolean known;

	private boolean answered;

	private long askedAt;

	private long serverMicros;

	Candidate(String owner, Duration lease, long now) {
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

	boolean isKnown() {
		return this.known;
	}

	void known() {
		this.known = true;
	}

	boolean isAnswered() {
		return this.answered;
	}

	void refused(long askedAt, Refused refused) {
		this.answered = true;
		this.askedAt = askedAt;
		this.serverMicros = refused.serverMicros();
	}

	/**
	 * Returns until when a granted lease is surely valid. The command that set it was
	 * somebody else's, so its sending time is unknown here; but an answer that was asked
	 * for at local time {@code s} and carried server time {@code S} shows that the grant,
	 * at server time {@code G}, came no earlier than {@code s + (G - S)}: Cristian's
	 * bound, from <i>Probabilistic clock synchronization</i>, 1989. It is never taken to
	 * be later than its receipt.
	 * @param grant the grant
	 * @param now the time of its receipt
	 * @return the local deadline
	 */
	long deadlineOf(Grant grant, long now) {
		long grantedAt = this.askedAt;
		long grantMicros = grant.granted().serverMicros();
		if (this.answered && this.serverMicros > 0 && grantMicros > this.serverMicros) {
			grantedAt += TimeUnit.MICROSECONDS.toNanos(grantMicros - this.serverMicros);
		}
		if (grantedAt - now > 0) {
			grantedAt = now;
		}
		return Deadline.ofLease(grantedAt, this.lease);
	}

}
