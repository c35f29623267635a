package io.lockable.redis;

import java.time.Duration;
import java.util.Objects;

import io.lockable.DurationText;

/**
 * From which replicas, and for how long, a {@link RedisLockStore} waits for an
 * acknowledgement before what the master has granted counts.
 *
 * @param from how many replicas must acknowledge
 * @param replicas how many replicas the master should have; 0 for the largest number that
 * this store has seen, and at least one. A master that has lost its replicas cannot tell
 * how many there were, so a number is the only safe choice for an application that may
 * start just then
 * @param timeout how long to wait for them, in whole milliseconds; positive, and shorter
 * than the engine's timeout for a command
 * @since 0.1.0
 */
public record Acknowledgements(Replicas from, int replicas, Duration timeout) {

	/**
	 * How long to wait if nothing else is said.
	 */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(500);

	/**
	 * Validates the values.
	 * @throws IllegalArgumentException if the number is negative, or the timeout is
	 * shorter than a millisecond or longer than an hour
	 */
	public Acknowledgements {
		Objects.requireNonNull(from, "'from' must not be null");
		Objects.requireNonNull(timeout, "'timeout' must not be null");
		if (replicas < 0) {
			throw new IllegalArgumentException("'replicas' must not be negative, was " + replicas);
		}
		if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
			throw new IllegalArgumentException("'timeout' must be between 1ms and 1h, was " + DurationText.of(timeout));
		}
	}

	/**
	 * Waits for replicas for half a second, as many as the largest number seen asks for.
	 * @param from how many replicas must acknowledge
	 * @return the acknowledgements
	 */
	public static Acknowledgements of(Replicas from) {
		return new Acknowledgements(from, 0, DEFAULT_TIMEOUT);
	}

	/**
	 * Returns a copy for a known number of replicas.
	 * @param replicas how many replicas the master should have; 0 for the largest number
	 * seen
	 * @return the copy
	 */
	public Acknowledgements withReplicas(int replicas) {
		return new Acknowledgements(this.from, replicas, this.timeout);
	}

	/**
	 * Returns a copy with another timeout.
	 * @param timeout how long to wait, in whole milliseconds
	 * @return the copy
	 */
	public Acknowledgements withTimeout(Duration timeout) {
		return new Acknowledgements(this.from, this.replicas, timeout);
	}

}
