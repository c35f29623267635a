package io.lockable.redis;

/**
 * How many replicas of a master must have a lock before it counts.
 *
 * @since 0.1.0
 */
public enum Replicas {

	/**
	 * None: what the master has granted is granted.
	 */
	NONE,

	/**
	 * At least one.
	 */
	ONE,

	/**
	 * More than half of the replicas, the master not counted: 1 of 1, 2 of 2, 2 of 3.
	 */
	MAJORITY,

	/**
	 * Every one.
	 */
	ALL;

	/**
	 * Returns how many that is.
	 * @param replicas how many replicas the master should have, at least one
	 * @return how many must acknowledge; never more than there should be
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
