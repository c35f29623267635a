package io.lockable.simulation;

import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A stream of random decisions. Each use has a stream of its own, so that a fault that is
 * removed changes no other decision: a failing seed can be shrunk.
 */
final class Dice {

	private final SplittableRandom random;

	private Dice(long seed) {
		this.random = new SplittableRandom(seed);
	}

	/**
	 * Returns the stream of a use.
	 * @param seed the seed of the simulation
	 * @param use the name of the use
	 * @return the stream
	 */
	static Dice of(long seed, String use) {
		return new Dice(mix(seed, use));
	}

	/**
	 * Returns one decision of a use.
	 * @param seed the seed of the simulation
	 * @param use the name of the use
	 * @param number the number of the decision
	 * @return a stream for the decision
	 */
	static Dice of(long seed, String use, long number) {
		return new Dice(mix(mix(seed, use), number));
	}

	private static long mix(long seed, String text) {
		long mixed = seed;
		for (int i = 0; i < text.length(); i++) {
			mixed = mix(mixed, text.charAt(i));
		}
		return mixed;
	}

	/**
	 * Adds a value to a hash.
	 * @param hash the hash
	 * @param value the value
	 * @return the hash of both
	 */
	static long mix(long hash, long value) {
		long mixed = (hash ^ value) * 0x9E3779B97F4A7C15L;
		mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
		return mixed ^ (mixed >>> 29);
	}

	boolean chance(double probability) {
		return this.random.nextDouble() < probability;
	}

	/**
	 * Returns a number; small ones are as frequent as large ones.
	 * @param least the least number, positive
	 * @param most the largest number
	 * @return the number
	 */
	long logarithmic(long least, long most) {
		return (long) (least * Math.pow((double) most / least, this.random.nextDouble()));
	}

	long between(long least, long most) {
		return this.random.nextLong(least, most + 1);
	}

	<T> T any(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

	RandomGenerator generator() {
		return this.random;
	}

}
