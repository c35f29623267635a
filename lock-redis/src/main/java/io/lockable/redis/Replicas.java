package io.lockable.redis;

/**
 * The share of a master's replicas that must acknowledge a lock before it counts.
 *
 * @since 0.1.0
 */
public enum Replicas {

	/**
	 * No replica: a lock counts as soon as the master has granted it.
	 */
	NONE,

	/**
	 * At least one replica.
	 */
	ONE,

	/**
	 * More than half of the replicas, without the master: 1 of 1, 2 of 2, 2 of 3.
	 */
	MAJORITY,

	/**
	 * Every replica.
	 */
	ALL;

	/**
	 * Returns the number of acknowledgements that this share requires.
	 * @param replicas the number of replicas that the master should have, at least one
	 * @return the required number, at most {@code replicas}
	 */
	int of(int replicas) {
		return switch (this) {
			case NONE -> 0;
			case ONE -> 1;
			case MAJORITY -> replicas / 2 + 1;
			case ALL -> replicas;
		};
	}

}
