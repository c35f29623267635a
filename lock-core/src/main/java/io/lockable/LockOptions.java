package io.lockable;

import java.time.Duration;
import java.util.Objects;

import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The options by which a lock is acquired, held and released. Instances are immutable:
 * each {@code with…} method returns a copy. It throws {@link IllegalArgumentException}
 * for a value out of range. {@code maxHold} must never be below {@code lease}: set the
 * lease first. Options with the same values are equal.
 *
 * @since 0.1.0
 */
public final class LockOptions {

	/**
	 * No limit, for {@code waitTime} and {@code maxHold}.
	 */
	public static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

	/**
	 * The longest lease: 365 days.
	 */
	public static final Duration MAX_LEASE = Duration.ofDays(365);

	/**
	 * The name of locks without a name.
	 */
	public static final String NO_NAME = "none";

	private static final Duration MIN_LEASE = Duration.ofMillis(10);

	private static final LockOptions DEFAULTS = new LockOptions(new Values(Duration.ofSeconds(10), Duration.ZERO,
			Renewal.ON, UNLIMITED, false, ReleaseMode.CONFIRMED, Duration.ZERO, Duration.ZERO, NO_NAME));

	private final Values values;

	private LockOptions(Values values) {
		this.values = values;
	}

	/**
	 * Returns the defaults: a renewed lease of 10 s, exactly one try, and a confirmed
	 * release.
	 * @return the default options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns the time until the lock expires on the server without renewal; from 10 ms
	 * to {@link #MAX_LEASE}, by default 10 s.
	 * @return the lease
	 */
	public Duration lease() {
		return this.values.lease();
	}

	/**
	 * Returns a copy with another lease.
	 * @param lease the time until the lock expires on the server without renewal
	 * @return the copy
	 */
	public LockOptions withLease(Duration lease) {
		Values was = this.values;
		return new LockOptions(new Values(lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns the maximum time to wait for the lock. Zero (the default) means exactly one
	 * try, {@link #UNLIMITED} means no limit. The wait excludes the first connection to
	 * the store. Within the wait, temporary failures of the store are retried. An
	 * unreachable store is retried for at most the command timeout.
	 * @return the maximum wait
	 */
	public Duration waitTime() {
		return this.values.waitTime();
	}

	/**
	 * Returns a copy with another wait time.
	 * @param waitTime the maximum time to wait for the lock
	 * @return the copy
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns whether the lease of a live holder is renewed; by default
	 * {@link Renewal#ON}.
	 * @return whether the lease is renewed
	 */
	public Renewal renewal() {
		return this.values.renewal();
	}

	/**
	 * Returns a copy with renewal on or off.
	 * @param renewal whether the lease of a live holder is renewed
	 * @return the copy
	 */
	public LockOptions withRenewal(Renewal renewal) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns the maximum time for which renewal keeps a lock, from its acquisition; at
	 * least {@code lease}, by default {@link #UNLIMITED}. Requires renewal.
	 * @return the limit of renewal
	 */
	public Duration maxHold() {
		return this.values.maxHold();
	}

	/**
	 * Returns a copy with another limit of renewal.
	 * @param maxHold the maximum time for which renewal keeps a lock
	 * @return the copy
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns whether waiters of all instances acquire the lock strictly in order of
	 * arrival. By default {@code false}: in order of arrival within an instance, and in
	 * turns between instances, which is faster.
	 * @return whether the lock is fair
	 */
	public boolean fair() {
		return this.values.fair();
	}

	/**
	 * Returns a copy that is fair or not.
	 * @param fair whether waiters of all instances are served in order of arrival
	 * @return the copy
	 */
	public LockOptions withFair(boolean fair) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns whether a release waits for the server; by default
	 * {@link ReleaseMode#CONFIRMED}.
	 * @return the release mode
	 */
	public ReleaseMode release() {
		return this.values.release();
	}

	/**
	 * Returns a copy with another release mode.
	 * @param release whether a release waits for the server
	 * @return the copy
	 */
	public LockOptions withRelease(ReleaseMode release) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns the minimum time for which the lock stays locked, from its acquisition. If
	 * the holder releases it earlier, the store
	 * {@linkplain io.lockable.store.LockStore#keep keeps} the lock for the rest of this
	 * time. From zero (the default) to {@link #MAX_LEASE}. It also extends beyond
	 * {@code maxHold} if the lock is released before that limit. A waiter may acquire the
	 * lock up to {@link io.lockable.store.QueueingLockStore#lookInterval()} later. If the
	 * lease ends before its release, the lock ends too. This happens after a crash, a
	 * loss, {@code maxHold}, or a shutdown that no longer waits for the holder.
	 * @return the minimum hold
	 */
	public Duration minHold() {
		return this.values.minHold();
	}

	/**
	 * Returns a copy with another minimum hold.
	 * @param minHold the minimum time for which the lock stays locked
	 * @return the copy
	 */
	public LockOptions withMinHold(Duration minHold) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				minHold, was.retain, was.name));
	}

	/**
	 * Returns the time for which this instance retains the lock on the server after a
	 * release without waiters. Zero (the default) releases the lock immediately. A later
	 * acquisition of this instance that also retains the lock needs no command. Another
	 * instance that requests the lock receives it. From zero to {@link #MAX_LEASE}, and
	 * never beyond the lease. Requires a lock that is renewed and not fair, on a
	 * {@link io.lockable.store.RecallingLockStore}.
	 * @return the time for which the lock is retained
	 */
	public Duration retain() {
		return this.values.retain();
	}

	/**
	 * Returns a copy with another retention time.
	 * @param retain the time for which this instance retains the lock after a release
	 * @return the copy
	 */
	public LockOptions withRetain(Duration retain) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, retain, was.name));
	}

	/**
	 * Returns the name of the lock in meters, events and the actuator; by default
	 * {@value #NO_NAME}. One name covers all keys of a kind, for example {@code Shop.pay}
	 * or {@code nightly-report}. It is never blank and must not contain the key.
	 * @return the name
	 */
	public String name() {
		return this.values.name();
	}

	/**
	 * Returns a copy with another name.
	 * @param name the name of the lock in meters, events and the actuator
	 * @return the copy
	 */
	public LockOptions withName(String name) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, name));
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockOptions that && this.values.equals(that.values);
	}

	@Override
	public int hashCode() {
		return this.values.hashCode();
	}

	@Override
	public String toString() {
		return this.values.toString().replaceFirst("^Values", "LockOptions");
	}

	/**
	 * The values, all within their ranges.
	 */
	private record Values(Duration lease, Duration waitTime, Renewal renewal, Duration maxHold, boolean fair,
			ReleaseMode release, Duration minHold, Duration retain, String name) {

		Values {
			Objects.requireNonNull(lease, "'lease' must not be null");
			Objects.requireNonNull(waitTime, "'waitTime' must not be null");
			Objects.requireNonNull(renewal, "'renewal' must not be null");
			Objects.requireNonNull(maxHold, "'maxHold' must not be null");
			Objects.requireNonNull(release, "'release' must not be null");
			Objects.requireNonNull(minHold, "'minHold' must not be null");
			Objects.requireNonNull(retain, "'retain' must not be null");
			Objects.requireNonNull(name, "'name' must not be null");
			check("lease", lease, MIN_LEASE);
			if (waitTime.isNegative()) {
				throw new IllegalArgumentException(
						"'waitTime' must not be negative, was %s".formatted(DurationText.of(waitTime)));
			}
			if (maxHold.compareTo(lease) < 0) {
				throw new IllegalArgumentException("'maxHold' must be at least the lease of %s, was %s"
					.formatted(DurationText.of(lease), DurationText.of(maxHold)));
			}
			if (renewal == Renewal.OFF && maxHold.compareTo(UNLIMITED) < 0) {
				throw new IllegalArgumentException(
						"'maxHold' requires renewal, but renewal is off, was %s".formatted(DurationText.of(maxHold)));
			}
			check("minHold", minHold, Duration.ZERO);
			check("retain", retain, Duration.ZERO);
			if (!retain.isZero() && (fair || renewal == Renewal.OFF)) {
				throw new IllegalArgumentException(
						"'retain' must be zero for a lock that is fair or not renewed, was %s"
							.formatted(DurationText.of(retain)));
			}
			if (name.isBlank()) {
				throw new IllegalArgumentException("'name' must not be blank");
			}
			waitTime = atMost(waitTime, UNLIMITED);
			maxHold = atMost(maxHold, UNLIMITED);
		}

		private static void check(String name, Duration value, Duration least) {
			if (value.compareTo(least) < 0 || value.compareTo(MAX_LEASE) > 0) {
				throw new IllegalArgumentException("'%s' must be between %s and %s, was %s".formatted(name,
						DurationText.of(least), DurationText.of(MAX_LEASE), DurationText.of(value)));
			}
		}

		private static Duration atMost(Duration value, Duration limit) {
			return (value.compareTo(limit) > 0) ? limit : value;
		}

	}

}
