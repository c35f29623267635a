package io.lockable.campaign.history;

import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock, and what became of it.
 *
 * @param id the name of the worker, a hyphen, and a number
 * @param key the lock
 * @param share the share of it
 * @param asked when it began
 * @param patience how long it may wait, in nanoseconds
 * @param lease the lease, in nanoseconds
 * @param outcome how it ended
 * @param ended when it ended, or {@link Long#MAX_VALUE}
 * @param hold the time of the holder; {@code null} unless the lock was acquired
 */
public record Attempt(String id, String key, Share share, long asked, long patience, long lease, Outcome outcome,
		long ended, @Nullable Hold hold) {

	/**
	 * Returns the name of the worker.
	 * @return the part of the id before the hyphen
	 */
	public String worker() {
		return this.id.substring(0, this.id.indexOf('-'));
	}

	/**
	 * Returns whether the attempt waits for other holders.
	 * @return {@code false} if it is a single try
	 */
	public boolean isWaiting() {
		return this.patience > 0;
	}

	/**
	 * Returns whether the attempt excludes others alone.
	 * @return whether the whole lock was asked for
	 */
	public boolean isExclusive() {
		return this.share == Share.EXCLUSIVE;
	}

}
