package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.Internal;

/**
 * A command that replaces the owner token on the server. Until its answer, the server may
 * have either token.
 *
 * @param owner the old owner token
 * @param successor the new owner token
 * @param lease the new lease
 * @param sentAt the time at which it was sent
 */
@Internal
public record Transfer(String owner, String successor, Duration lease, long sentAt) {

	/**
	 * Returns whether the new lease may have expired on the server. A client may send the
	 * transfer again, so a refusal then proves no loss of the old owner: the first copy
	 * may have been granted.
	 * @param now the time
	 * @return whether it may have expired
	 */
	public boolean mayHaveExpired(long now) {
		return now - this.sentAt >= this.lease.toNanos();
	}

}
