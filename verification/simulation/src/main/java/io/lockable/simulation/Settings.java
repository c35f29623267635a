package io.lockable.simulation;

import java.time.Duration;
import java.util.List;

import io.lockable.redis.Acknowledgements;
import io.lockable.redis.Replicas;

/**
 * The size and the timeouts of a run, chosen by its seed.
 *
 * @param deployment the servers
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
 * @param nested the share of calls that wait for a lock while they hold another one
 * @param ordered whether nested calls take locks in one order
 * @param replicas the number of replicas of a master that waits for them
 * @param acknowledgements the replicas that the stores wait for
 */
record Settings(Deployment deployment, boolean blocking, long duration, int instances, int callers,
		Duration commandTimeout, Duration waiterTimeout, Duration masterTimeout, long think, double asynchronous,
		double nested, boolean ordered, int replicas, Acknowledgements acknowledgements) {

	/**
	 * The longest lease that a caller requests.
	 */
	static final Duration MAX_LEASE = Duration.ofSeconds(4);

	// Callers of silent masters fail at once, and each attempt leaves five releases.
	private static final long MIN_REDLOCK_THINK = 50_000_000;

	/**
	 * Returns whether the instances lock a majority of several masters.
	 * @return whether their store is a {@code RedlockLockStore}
	 */
	boolean isRedlock() {
		return this.deployment == Deployment.REDLOCK;
	}

	/**
	 * Returns whether instances may retain locks.
	 * @return whether their store recalls them
	 */
	boolean retains() {
		return this.deployment == Deployment.SERVER || this.deployment == Deployment.CLUSTER;
	}

	/**
	 * Chooses the settings of a seed. Each sixth seed has blocking clients.
	 * @param seed the seed
	 * @return the settings
	 */
	static Settings of(long seed) {
		Dice dice = Dice.of(seed, "settings");
		Dice nesting = Dice.of(seed, "nesting");
		Deployment deployment = Deployment.of(seed);
		long minThink = (deployment == Deployment.REDLOCK) ? MIN_REDLOCK_THINK : 0;
		Settings settings = new Settings(deployment, seed % 6 == 4, dice.between(4, 14) * 1_000_000_000,
				(int) dice.between(1, 3), (int) dice.between(1, 6), Duration.ofMillis(dice.between(300, 1500)),
				Duration.ofMillis(dice.between(300, 3000)),
				Duration.ofMillis(Dice.of(seed, "master timeout").logarithmic(20, 200)),
				Math.max(minThink, dice.logarithmic(1_000_000, 400_000_000)), dice.chance(0.5) ? 1 : 0.7,
				nesting.chance(0.25) ? nesting.between(2, 6) / 10.0 : 0, nesting.chance(0.3), 0,
				Acknowledgements.of(Replicas.NONE));
		return (settings.deployment == Deployment.REPLICATED) ? settings.replicated(Dice.of(seed, "replicas"))
				: settings;
	}

	private Settings replicated(Dice dice) {
		int number = (int) dice.between(1, 3);
		Replicas from = dice.any(List.of(Replicas.ONE, Replicas.MAJORITY, Replicas.ALL));
		Duration timeout = Duration.ofMillis(dice.between(20, this.commandTimeout.toMillis() * 2 / 3));
		// Only one replica is needed whatever their number, so the stores may count them.
		int configured = (from == Replicas.ONE && dice.chance(0.5)) ? 0 : number;
		return new Settings(this.deployment, this.blocking, this.duration, this.instances, this.callers,
				this.commandTimeout, this.waiterTimeout, this.masterTimeout, this.think, this.asynchronous, this.nested,
				this.ordered, number, new Acknowledgements(from, configured, timeout));
	}

	/**
	 * Returns the number of replicas that have each lock of a caller.
	 * @return the number, or 0 if the stores do not wait for replicas
	 */
	int promisedReplicas() {
		return switch (this.acknowledgements.from()) {
			case NONE -> 0;
			case ONE -> 1;
			case MAJORITY -> this.replicas / 2 + 1;
			case ALL -> this.replicas;
		};
	}

}
