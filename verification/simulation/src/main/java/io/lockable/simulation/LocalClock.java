package io.lockable.simulation;

/**
 * A monotonic clock with a rate of its own.
 */
final class LocalClock {

	private final long origin;

	private final double rate;

	/**
	 * Creates a clock.
	 * @param origin its value at the start
	 * @param rate its nanoseconds for each nanosecond of the simulation
	 */
	LocalClock(long origin, double rate) {
		this.origin = origin;
		this.rate = rate;
	}

	/**
	 * Returns the value of this clock.
	 * @param now the time of the simulation
	 * @return nanoseconds on this clock
	 */
	long at(long now) {
		return this.origin + (long) (now * this.rate);
	}

	/**
	 * Returns the time of the simulation at which this clock has a value.
	 * @param local nanoseconds on this clock
	 * @return the first time with that value, or a later one
	 */
	long whenAt(long local) {
		double time = (local - this.origin) / this.rate;
		return (time > 1e15) ? 1_000_000_000_000_000L : (long) Math.ceil(time) + 1;
	}

}
