package io.lockable.engine.runtime;

import java.time.Duration;

/**
 * Arithmetic on the engine's monotonic clock, whose values compare only by their
 * difference.
 */
public final class Deadline {

	/**
	 * More than a century, and still safe to add to any clock value.
	 */
	private static final long FOREVER = Long.MAX_VALUE / 2;

	private Deadline() {
	}

	/**
	 * Adds a time.
	 * @param now the clock
	 * @param time the time; more than a century counts as a century
	 * @return the sum
	 */
	public static long after(long now, Duration time) {
		return now + Math.min(FOREVER, saturatedNanos(time));
	}

	/**
	 * Returns the time until which a lease is certainly valid. It subtracts an allowance
	 * for clock drift and the server's millisecond resolution, as the description of
	 * <a href=
	 * "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redlock</a>
	 * does.
	 * @param sentAt the time at which the command that set the lease was sent, or an
	 * earlier one
	 * @param lease the lease
	 * @return the local deadline
	 */
	public static long ofLease(long sentAt, Duration lease) {
		long nanos = lease.toNanos();
		return sentAt + nanos - nanos / 100 - 2_000_000;
	}

	/**
	 * Returns the earlier of two times.
	 * @param left one
	 * @param right the other
	 * @return the earlier one
	 */
	public static long earlier(long left, long right) {
		return (left - right < 0) ? left : right;
	}

	/**
	 * Returns the later of two times.
	 * @param left one
	 * @param right the other
	 * @return the later one
	 */
	public static long later(long left, long right) {
		return (left - right < 0) ? right : left;
	}

	private static long saturatedNanos(Duration time) {
		return (time.toSeconds() >= FOREVER / 1_000_000_000) ? FOREVER : time.toNanos();
	}

}
