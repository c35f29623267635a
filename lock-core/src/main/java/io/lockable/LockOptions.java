package io.lockable;

import java.time.Duration;
import java.util.Objects;

/**
 * How a lock is acquired, kept and released. Immutable; every {@code with…} method
 * returns a copy.
 *
 * @param lease how long the lock lives on the server without renewal; from 10 ms to
 * {@link #MAX_LEASE}, default 10 s
 * @param waitTime how long an acquirer waits at most for the holder; zero (the default)
 * means exactly one try, {@link #UNLIMITED} means no limit
 * @param renewal whether a live holder's lease is extended; default {@link Renewal#ON}
 * @param maxHold how long renewal keeps a lock at most, counted from the acquisition; at
 * least {@code lease}, default {@link #UNLIMITED}. Without effect when {@code renewal} is
 * off
 * @param fair whether waiters of all instances get the lock strictly in the order of
 * their arrival; default {@code false}: in the order of arrival within an instance, and
 * by turns between instances, which is faster
 * @param release whether a release waits for the server; default
 * {@link ReleaseMode#CONFIRMED}
 * @param minHold how long the lock stays locked at least, counted from the acquisition,
 * also when it is released earlier: then the store {@linkplain io.lockable.store.LockStore#keep keeps}
 * it for the rest, and ends it. From zero (the default) to {@link #MAX_LEASE}. A release
 * before {@code maxHold} is kept beyond that. A waiter may get the lock up to
 * {@link io.lockable.store.QueueingLockStore#lookInterval()} later. What ends the lease
 * before its release ends the lock too: a crash, a loss, {@code maxHold}, and a shutdown
 * that does not wait for the holder any longer
 * @param name what meters, events and the actuator call the lock: one name for all keys
 * of a kind, as {@code Shop.pay} or {@code nightly-report}; never blank and never made
 * from a key; default {@value #NO_NAME}
 * @since 0.1.0
 */
public record LockOptions(Duration lease, Duration waitTime, Renewal renewal, Duration maxHold, boolean fair,
		ReleaseMode release, Duration minHold, String name) {

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

	private static final LockOptions DEFAULTS = new LockOptions(Duration.ofSeconds(10), Duration.ZERO, Renewal.ON,
			UNLIMITED, false, ReleaseMode.CONFIRMED, Duration.ZERO, NO_NAME);

	/**
	 * Validates the options.
	 * @throws IllegalArgumentException if one is out of its range
	 */
	public LockOptions {
		Objects.requireNonNull(lease, "'lease' must not be null");
		Objects.requireNonNull(waitTime, "'waitTime' must not be null");
		Objects.requireNonNull(renewal, "'renewal' must not be null");
		Objects.requireNonNull(maxHold, "'maxHold' must not be null");
		Objects.requireNonNull(release, "'release' must not be null");
		Objects.requireNonNull(minHold, "'minHold' must not be null");
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
		if (name.isBlank()) {
			throw new IllegalArgumentException("'name' must not be blank");
		}
		waitTime = atMost(waitTime, UNLIMITED);
		maxHold = atMost(maxHold, UNLIMITED);
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
	 * Returns a copy with another lease.
	 * @param lease how long the lock lives on the server without renewal
	 * @return the copy
	 */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release, this.minHold,
				this.name);
	}

	/**
	 * Returns a copy with another wait.
	 * @param waitTime how long an acquirer waits at most
	 * @return the copy
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.lease, waitTime, this.renewal, this.maxHold, this.fair, this.release, this.minHold,
				this.name);
	}

	/**
	 * Returns a copy with renewal on or off.
	 * @param renewal whether a live holder's lease is extended
	 * @return the copy
	 */
	public LockOptions withRenewal(Renewal renewal) {
		return new LockOptions(this.lease, this.waitTime, renewal, this.maxHold, this.fair, this.release, this.minHold,
				this.name);
	}

	/**
	 * Returns a copy with another limit of renewal.
	 * @param maxHold how long renewal keeps a lock at most
	 * @return the copy
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, maxHold, this.fair, this.release, this.minHold,
				this.name);
	}

	/**
	 * Returns a copy that is fair or not.
	 * @param fair whether waiters of all instances are served by arrival
	 * @return the copy
	 */
	public LockOptions withFair(boolean fair) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, fair, this.release, this.minHold,
				this.name);
	}

	/**
	 * Returns a copy with another way to release.
	 * @param release whether a release waits for the server
	 * @return the copy
	 */
	public LockOptions withRelease(ReleaseMode release) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, release, this.minHold,
				this.name);
	}

	/**
	 * Returns a copy with another shortest time of being locked.
	 * @param minHold how long the lock stays locked at least
	 * @return the copy
	 */
	public LockOptions withMinHold(Duration minHold) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release, minHold,
				this.name);
	}

	/**
	 * Returns a copy with another name.
	 * @param name what meters, events and the actuator call the lock
	 * @return the copy
	 */
	public LockOptions withName(String name) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release,
				this.minHold, name);
	}

	private static Duration atMost(Duration value, Duration limit) {
		return (value.compareTo(limit) > 0) ? limit : value;
	}

}
