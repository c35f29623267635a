package io.lockable;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired, kept and released. Immutable: every {@code with…} method
 * returns a copy, and throws an {@link IllegalArgumentException} for a value out of its
 * range. {@code maxHold} must not be below {@code lease} at any time: set the lease
 * first. Two options with the same values are equal. Above 300 lines, as each option has
 * its two methods here.
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
	 * The name of locks that were given none.
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
	 * Returns the defaults: a lease of 10 s that is renewed, exactly one try, a confirmed
	 * release.
	 * @return the default options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns how long the lock lives on the server without renewal; from 10 ms to
	 * {@link #MAX_LEASE}, default 10 s.
	 * @return the lease
	 */
	public Duration lease() {
		return this.values.lease();
	}

	/**
	 * Returns a copy with another lease.
	 * @param lease how long the lock lives on the server without renewal
	 * @return the copy
	 */
	public LockOptions withLease(Duration lease) {
		Values was = this.values;
		return new LockOptions(new Values(lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns how long an acquirer waits at most for the holder; zero (the default) means
	 * exactly one try, {@link #UNLIMITED} means no limit.
	 * @return the longest wait
	 */
	public Duration waitTime() {
		return this.values.waitTime();
	}

	/**
	 * Returns a copy with another wait.
	 * @param waitTime how long an acquirer waits at most
	 * @return the copy
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns whether a live holder's lease is extended; default {@link Renewal#ON}.
	 * @return whether the lease is renewed
	 */
	public Renewal renewal() {
		return this.values.renewal();
	}

	/**
	 * Returns a copy with renewal on or off.
	 * @param renewal whether a live holder's lease is extended; {@link Renewal#ON} or
	 * {@link Renewal#OFF}
	 * @return the copy
	 */
	public LockOptions withRenewal(Renewal renewal) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, renewal, was.maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns how long renewal keeps a lock at most, counted from the acquisition; at
	 * least {@code lease}, default {@link #UNLIMITED}. Without effect when
	 * {@code renewal} is off.
	 * @return the limit of renewal
	 */
	public Duration maxHold() {
		return this.values.maxHold();
	}

	/**
	 * Returns a copy with another limit of renewal.
	 * @param maxHold how long renewal keeps a lock at most
	 * @return the copy
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, maxHold, was.fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns whether waiters of all instances get the lock strictly in the order of
	 * their arrival; default {@code false}: in the order of arrival within an instance,
	 * and by turns between instances, which is faster.
	 * @return whether the lock is fair
	 */
	public boolean fair() {
		return this.values.fair();
	}

	/**
	 * Returns a copy that is fair or not.
	 * @param fair whether waiters of all instances are served by arrival
	 * @return the copy
	 */
	public LockOptions withFair(boolean fair) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, fair, was.release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns whether a release waits for the server; default
	 * {@link ReleaseMode#CONFIRMED}.
	 * @return how a release ends
	 */
	public ReleaseMode release() {
		return this.values.release();
	}

	/**
	 * Returns a copy with another way to release.
	 * @param release whether a release waits for the server
	 * @return the copy
	 */
	public LockOptions withRelease(ReleaseMode release) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, release,
				was.minHold, was.retain, was.name));
	}

	/**
	 * Returns how long the lock stays locked at least, counted from the acquisition, also
	 * when it is released earlier: then the store
	 * {@linkplain io.lockable.store.LockStore#keep keeps} it for the rest, and ends it.
	 * From zero (the default) to {@link #MAX_LEASE}. A release before {@code maxHold} is
	 * kept beyond that. A waiter may get the lock up to
	 * {@link io.lockable.store.QueueingLockStore#lookInterval()} later. What ends the
	 * lease before its release ends the lock too: a crash, a loss, {@code maxHold}, and a
	 * shutdown that does not wait for the holder any longer.
	 * @return the shortest hold
	 */
	public Duration minHold() {
		return this.values.minHold();
	}

	/**
	 * Returns a copy with another shortest time of being locked.
	 * @param minHold how long the lock stays locked at least
	 * @return the copy
	 */
	public LockOptions withMinHold(Duration minHold) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				minHold, was.retain, was.name));
	}

	/**
	 * Returns for how long this instance retains the lock on the server after a release
	 * for which nobody waits; zero (the default) gives it back at once. A later
	 * acquisition of this instance that retains too then needs no command, and another
	 * instance that asks for the lock gets it. From zero to {@link #MAX_LEASE}, and never
	 * beyond the lease. Only for locks that are renewed and not fair, on a store that is
	 * a {@link io.lockable.store.RecallingLockStore}.
	 * @return how long the lock is retained
	 */
	public Duration retain() {
		return this.values.retain();
	}

	/**
	 * Returns a copy with another time to retain the lock.
	 * @param retain for how long this instance retains the lock after a release
	 * @return the copy
	 */
	public LockOptions withRetain(Duration retain) {
		Values was = this.values;
		return new LockOptions(new Values(was.lease, was.waitTime, was.renewal, was.maxHold, was.fair, was.release,
				was.minHold, retain, was.name));
	}

	/**
	 * Returns what meters, events and the actuator call the lock: one name for all keys
	 * of a kind, as {@code Shop.pay} or {@code nightly-report}; never blank and never
	 * made from a key; default {@value #NO_NAME}.
	 * @return the name
	 */
	public String name() {
		return this.values.name();
	}

	/**
	 * Returns a copy with another name.
	 * @param name what meters, events and the actuator call the lock
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
	 * The values, all in their ranges.
	 */
	private record Values(Duration lease, Duration waitTime, Renewal renewal, Duration maxHold, boolean fair,
			ReleaseMode release, Duration minHold, Duration retain, String name) {

		Values {
			Objects.requireNonNull(lease, "'lease' must not be null");
			Objects.requireNonNull(waitTime, "'waitTime' must not be null");
			Objects.requireNonNull(renewal, "'renewal' must not be null");
			if (renewal == Renewal.AUTO) {
				throw new IllegalArgumentException("'renewal' must be ON or OFF, was AUTO");
			}
			Objects.requireNonNull(maxHold, "'maxHold' must not be null");
			Objects.requireNonNull(release, "'release' must not be null");
			Objects.requireNonNull(minHold, "'minHold' must not be null");
			Objects.requireNonNull(retain, "'retain' must not be null");
			Objects.requireNonNull(name, "'name' must not be null");
			if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
				throw new IllegalArgumentException("'lease' must be between %s and %s, was %s"
					.formatted(DurationText.of(MIN_LEASE), DurationText.of(MAX_LEASE), DurationText.of(lease)));
			}
			if (waitTime.isNegative()) {
				throw new IllegalArgumentException(
						"'waitTime' must not be negative, was %s".formatted(DurationText.of(waitTime)));
			}
			if (maxHold.compareTo(lease) < 0) {
				throw new IllegalArgumentException("'maxHold' must be at least the lease of %s, was %s"
					.formatted(DurationText.of(lease), DurationText.of(maxHold)));
			}
			if (minHold.isNegative() || minHold.compareTo(MAX_LEASE) > 0) {
				throw new IllegalArgumentException("'minHold' must be between %s and %s, was %s"
					.formatted(DurationText.of(Duration.ZERO), DurationText.of(MAX_LEASE), DurationText.of(minHold)));
			}
			if (retain.isNegative() || retain.compareTo(MAX_LEASE) > 0) {
				throw new IllegalArgumentException("'retain' must be between %s and %s, was %s"
					.formatted(DurationText.of(Duration.ZERO), DurationText.of(MAX_LEASE), DurationText.of(retain)));
			}
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

		private static Duration atMost(Duration value, Duration limit) {
			return (value.compareTo(limit) > 0) ? limit : value;
		}

	}

}
