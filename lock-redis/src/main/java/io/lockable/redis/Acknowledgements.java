package io.lockable.redis;

import java.time.Duration;
import java.util.Objects;

import io.lockable.text.DurationText;

/**
 * The replicas that must acknowledge a write of a {@link RedisLockStore} before it
 * counts, and the time that the store waits for them.
 *
 * <p>
 * Instances are immutable.
 *
 * @param from the share of the replicas that must acknowledge
 * @param replicas the number of replicas that the master should have. 0 stands for the
 * largest number that this store has seen, and at least one. A master that has lost its
 * replicas cannot report their former number. An application that may start at such a
 * moment needs a positive number here
 * @param timeout the longest wait for acknowledgements, in whole milliseconds; from one
 * millisecond to one hour, and shorter than the engine's command timeout
 * @since 0.1.0
 */
public record Acknowledgements(Replicas from, int replicas, Duration timeout) {

	/**
	 * The default timeout: half a second.
	 */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(500);

	/**
	 * Validates the values.
	 * @throws IllegalArgumentException if the number is negative, or the timeout is
	 * shorter than a millisecond or longer than an hour
	 */
	public Acknowledgements {
		Objects.requireNonNull(from, "'from' must not be null");
		if (replicas < 0) {
			throw new IllegalArgumentException("'replicas' must not be negative, was " + replicas);
		}
		DurationText.requireBetween("timeout", timeout, Duration.ofMillis(1), Duration.ofHours(1));
	}

	/**
	 * Returns acknowledgements with the {@linkplain #DEFAULT_TIMEOUT default timeout} for
	 * the largest number of replicas seen.
	 * @param from the share of the replicas that must acknowledge
	 * @return the acknowledgements
	 */
	public static Acknowledgements of(Replicas from) {
		return new Acknowledgements(from, 0, DEFAULT_TIMEOUT);
	}

	/**
	 * Returns a copy with a fixed number of replicas.
	 * @param replicas the number of replicas that the master should have; 0 for the
	 * largest number seen
	 * @return the copy
	 * @throws IllegalArgumentException if the number is negative
	 */
	public Acknowledgements withReplicas(int replicas) {
		return new Acknowledgements(this.from, replicas, this.timeout);
	}

	/**
	 * Returns a copy with another timeout.
	 * @param timeout the longest wait, in whole milliseconds
	 * @return the copy
	 * @throws IllegalArgumentException if the timeout is shorter than a millisecond or
	 * longer than an hour
	 */
	public Acknowledgements withTimeout(Duration timeout) {
		return new Acknowledgements(this.from, this.replicas, timeout);
	}

}
