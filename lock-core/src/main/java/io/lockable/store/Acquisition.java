package io.lockable.store;

/**
 * The answer of a store to an acquisition: {@link Granted}, or {@link Refused} because
 * another owner holds the lock.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition permits Granted, Refused {

	/**
	 * Returns the backend's clock at the time of the answer, for comparison with that of
	 * a later {@link Grant}.
	 * @return microseconds since a fixed origin; 0 if the backend reports no time
	 */
	long serverMicros();

}
