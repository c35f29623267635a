package io.lockable.sample;

import java.time.Instant;

/**
 * An event of the timeline, from an instance or about it.
 *
 * @param at the time in milliseconds since the epoch, with fractions
 * @param instance the name of the instance
 * @param buyer the number of the buyer, 0 for the instance itself
 * @param state the new state
 * @param token the fencing token, 0 for none
 * @param detail more about the state, or an empty text
 */
record Report(double at, String instance, int buyer, String state, long token, String detail) {

	static Report of(String instance, int buyer, String state, long token, String detail) {
		Instant now = Instant.now();
		double at = now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
		return new Report(at, instance, buyer, state, token, detail);
	}

}
