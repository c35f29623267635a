package io.lockable.campaign.history;

/**
 * A time in which a worker stood still.
 *
 * @param worker the worker
 * @param from the last sign of life before
 * @param until the first one after
 */
public record Pause(String worker, long from, long until) {

	/**
	 * Returns how much of an interval the pause takes.
	 * @param start the start of the interval
	 * @param end its end
	 * @return the nanoseconds that both have in common
	 */
	public long within(long start, long end) {
		return Math.max(0, Math.min(this.until, end) - Math.max(this.from, start));
	}

}
