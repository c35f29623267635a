package io.lockable.campaign.check;

import org.jspecify.annotations.Nullable;

/**
 * A time in which an external cause took locks from their holders: a command of another
 * program on the key, or a server that lost its data. A holder detects this by the end of
 * its lease. Until then, the lock does not exclude, but its tokens still grow.
 *
 * @param key the lock; {@code null} for all locks
 * @param from the time before the cause
 * @param until the time after the cause, plus the lease
 */
public record Voided(@Nullable String key, long from, long until) {

	boolean covers(String other, long start, long end) {
		return (this.key == null || this.key.equals(other)) && start >= this.from && end <= this.until;
	}

	boolean touches(String other, long start, long end) {
		return (this.key == null || this.key.equals(other)) && start <= this.until && end >= this.from;
	}

}
