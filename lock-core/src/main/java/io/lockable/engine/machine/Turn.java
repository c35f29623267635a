package io.lockable.engine.machine;

import java.time.Duration;

/**
 * The turn of this instance, whose holders follow one another without the server. While
 * other instances wait, a turn ends after a number of holders or a time.
 *
 * @param since the start of the turn
 * @param holders the number of its holders so far
 */
record Turn(long since, int holders) {

	private static final int MAX_HOLDERS = 16;

	// The age of a turn at which no further holder enters.
	private static final Duration MAX_TIME = Duration.ofMillis(20);

	Turn taken() {
		return new Turn(this.since, this.holders + 1);
	}

	/**
	 * Returns whether the turn is over.
	 * @param now the time
	 * @return whether waiting instances are next
	 */
	boolean isOver(long now) {
		return this.holders >= MAX_HOLDERS || now - this.since >= MAX_TIME.toNanos();
	}

}
