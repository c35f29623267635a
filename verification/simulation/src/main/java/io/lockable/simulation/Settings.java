package io.lockable.simulation;

import java.time.Duration;

/**
 * The size and the timeouts of a run, chosen by its seed.
 *
 * @param masters the number of independent masters, over which a {@code RedlockLockStore}
 * locks, or 1 for one server and a {@code RedisLockStore}
 * @param blocking whether the instances have a client whose calls block, instead of
 * Lettuce
 * @param duration the simulated time with load and faults, in nanoseconds
 * @param instances the number of instances
 * @param callers the number of callers of each instance
 * @param commandTimeout the command timeout of the engines
 * @param waiterTimeout the waiter timeout of the stores
 * @param masterTimeout the time limit for the answer of one of several masters
 * @param think the longest pause of a caller in nanoseconds
 * @param asynchronous the share of calls that do not block
 */
record Settings(int masters, boolean blocking, long duration, int instances, int callers, Duration commandTimeout,
		Duration waiterTimeout, Duration masterTimeout, long think, double asynchronous) {

	/**
	 * The longest lease that a caller requests.
	 */
	static final Duration MAX_LEASE = Duration.ofSeconds(4);

	/**
	 * Returns whether the instances lock a majority of several masters.
	 * @return whether their store is a {@code RedlockLockStore}
	 */
	boolean isRedlock() {
		return this.masters > 1;
	}

	/**
	 * Chooses the settings of a seed. Each sixth seed has several masters, and another
	 * one blocking clients.
	 * @param seed the seed
	 * @return the settings
	 */
	static Settings of(long seed) {
		Dice dice = Dice.of(seed, "settings");
		return new Settings((seed % 6 == 2) ? 5 : 1, seed % 6 == 4, dice.between(4, 14) * 1_000_000_000,
				(int) dice.between(1, 3), (int) dice.between(1, 6), Duration.ofMillis(dice.between(300, 1500)),
				Duration.ofMillis(dice.between(300, 3000)),
				Duration.ofMillis(Dice.of(seed, "master timeout").logarithmic(20, 200)),
				dice.logarithmic(1_000_000, 400_000_000), dice.chance(0.5) ? 1 : 0.7);
	}

}
