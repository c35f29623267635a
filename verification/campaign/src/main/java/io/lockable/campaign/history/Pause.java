package io.lockable.campaign.history;

/**
 * A time in which a worker was paused.
 *
 * @param worker the worker
 * @param from the last sign of life before
 * @param until the first sign of life after
 */
public record Pause(String worker, long from, long until) {

	/**
	 * Returns the overlap of the pause with an interval.
	 * @param start the start of the interval
	 * @param end its end
	 * @return the overlap in nanoseconds
	 */
	public long within(long start, long end) {
		return Math.max(0, Math.min(this.until, end) - Math.max(this.from, start));
	}

}
