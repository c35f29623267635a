package io.lockable.campaign.history;

import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock, and its outcome.
 *
 * @param id the name of the worker, a hyphen, and a number
 * @param key the lock
 * @param share the share of it
 * @param asked the start of the attempt
 * @param patience its wait time, in nanoseconds
 * @param lease the lease, in nanoseconds
 * @param outcome its outcome
 * @param ended its end, or {@link Long#MAX_VALUE}
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
	 * @return {@code false} for a single try
	 */
	public boolean isWaiting() {
		return this.patience > 0;
	}

	/**
	 * Returns whether the attempt is exclusive.
	 * @return whether it requests the whole lock
	 */
	public boolean isExclusive() {
		return this.share == Share.EXCLUSIVE;
	}

}
