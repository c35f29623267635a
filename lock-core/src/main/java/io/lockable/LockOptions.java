package io.lockable;

import java.time.Duration;
import java.util.Objects;

import io.lockable.text.DurationText;

/**
 * The options by which a lock is acquired, held and released. Start with
 * {@link #defaults()}: each {@code with…} method returns a copy. The constructor has more
 * parameters in a version with more options. Both throw {@link IllegalArgumentException}
 * for a value out of range. {@code maxHold} must never be below {@code lease}: set the
 * lease first.
 *
 * @param lease the time until the lock expires on the server without renewal; from 10 ms
 * to {@link #MAX_LEASE}, by default 10 s
 * @param waitTime the maximum time to wait for the lock. Zero (the default) means exactly
 * one try, {@link #UNLIMITED} means no limit. The wait excludes the first connection to
 * the store. Within the wait, temporary failures of the store are retried. An unreachable
 * store is retried for at most the command timeout.
 * @param renewal whether the lease of a live holder is renewed; by default
 * {@link Renewal#ON}
 * @param maxHold the maximum time for which renewal keeps a lock, from its acquisition;
 * at least {@code lease}, by default {@link #UNLIMITED}. Requires renewal.
 * @param fair whether waiters of all instances acquire the lock strictly in order of
 * arrival. By default {@code false}: in order of arrival within an instance, and in turns
 * between instances, which is faster.
 * @param release whether a release waits for the server; by default
 * {@link ReleaseMode#CONFIRMED}
 * @param minHold the minimum time for which the lock stays locked, from its acquisition.
 * If the holder releases it earlier, the store
 * {@linkplain io.lockable.store.LockStore#keep keeps} the lock for the rest of this time.
 * From zero (the default) to {@link #MAX_LEASE}. It also extends beyond {@code maxHold}
 * if the lock is released before that limit. A waiter may acquire the lock up to
 * {@link io.lockable.store.QueueingLockStore#lookInterval()} later. If the lease ends
 * before its release, the lock ends too. This happens after a crash, a loss,
 * {@code maxHold}, or a shutdown that no longer waits for the holder.
 * @param retain the time for which this instance retains the lock on the server after a
 * release without waiters. Zero (the default) releases the lock immediately. A later
 * acquisition of this instance that also retains the lock needs no command. Another
 * instance that requests the lock receives it. From zero to {@link #MAX_LEASE}, and never
 * beyond the lease. Requires a lock that is renewed and not fair, on a
 * {@link io.lockable.store.RecallingLockStore}.
 * @param name the name of the lock in meters, events and the actuator; by default
 * {@value #NO_NAME}. One name covers all keys of a kind, for example {@code Shop.pay} or
 * {@code nightly-report}. It is never blank and must not contain the key.
 * @since 0.1.0
 */
public record LockOptions(Duration lease, Duration waitTime, Renewal renewal, Duration maxHold, boolean fair,
		ReleaseMode release, Duration minHold, Duration retain, String name) {

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

	private static final LockOptions DEFAULTS = new LockOptions(Duration.ofSeconds(10), Duration.ZERO, Renewal.ON,
			UNLIMITED, false, ReleaseMode.CONFIRMED, Duration.ZERO, Duration.ZERO, NO_NAME);

	/**
	 * Validates the values, and limits longer waits and holds to {@link #UNLIMITED}.
	 * @throws IllegalArgumentException if a value is out of range
	 */
	public LockOptions {
		DurationText.requireBetween("lease", lease, Duration.ofMillis(10), MAX_LEASE);
		Objects.requireNonNull(waitTime, "'waitTime' must not be null");
		Objects.requireNonNull(renewal, "'renewal' must not be null");
		Objects.requireNonNull(maxHold, "'maxHold' must not be null");
		Objects.requireNonNull(release, "'release' must not be null");
		Objects.requireNonNull(name, "'name' must not be null");
		DurationText.requireBetween("minHold", minHold, Duration.ZERO, MAX_LEASE);
		DurationText.requireBetween("retain", retain, Duration.ZERO, MAX_LEASE);
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
		if (!retain.isZero() && (fair || renewal == Renewal.OFF)) {
			throw new IllegalArgumentException("'retain' must be zero for a lock that is fair or not renewed, was %s"
				.formatted(DurationText.of(retain)));
		}
		if (name.isBlank()) {
			throw new IllegalArgumentException("'name' must not be blank");
		}
		waitTime = (waitTime.compareTo(UNLIMITED) > 0) ? UNLIMITED : waitTime;
		maxHold = (maxHold.compareTo(UNLIMITED) > 0) ? UNLIMITED : maxHold;
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
	 * Returns a copy with another lease.
	 * @param lease the time until the lock expires on the server without renewal
	 * @return the copy
	 */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release, this.minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy with another wait time.
	 * @param waitTime the maximum time to wait for the lock
	 * @return the copy
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.lease, waitTime, this.renewal, this.maxHold, this.fair, this.release, this.minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy with renewal on or off.
	 * @param renewal whether the lease of a live holder is renewed
	 * @return the copy
	 */
	public LockOptions withRenewal(Renewal renewal) {
		return new LockOptions(this.lease, this.waitTime, renewal, this.maxHold, this.fair, this.release, this.minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy with another limit of renewal.
	 * @param maxHold the maximum time for which renewal keeps a lock
	 * @return the copy
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, maxHold, this.fair, this.release, this.minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy that is fair or not.
	 * @param fair whether waiters of all instances are served in order of arrival
	 * @return the copy
	 */
	public LockOptions withFair(boolean fair) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, fair, this.release, this.minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy with another release mode.
	 * @param release whether a release waits for the server
	 * @return the copy
	 */
	public LockOptions withRelease(ReleaseMode release) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, release, this.minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy with another minimum hold.
	 * @param minHold the minimum time for which the lock stays locked
	 * @return the copy
	 */
	public LockOptions withMinHold(Duration minHold) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release, minHold,
				this.retain, this.name);
	}

	/**
	 * Returns a copy with another retention time.
	 * @param retain the time for which this instance retains the lock after a release
	 * @return the copy
	 */
	public LockOptions withRetain(Duration retain) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release,
				this.minHold, retain, this.name);
	}

	/**
	 * Returns a copy with another name.
	 * @param name the name of the lock in meters, events and the actuator
	 * @return the copy
	 */
	public LockOptions withName(String name) {
		return new LockOptions(this.lease, this.waitTime, this.renewal, this.maxHold, this.fair, this.release,
				this.minHold, this.retain, name);
	}

}
