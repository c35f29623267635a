package io.lockable.simulation;

/**
 * A process of the simulation: an instance, or the server. It may pause, and it may
 * crash.
 */
class Actor {

	private final String name;

	private long pausedUntil;

	private long disturbance;

	private long disturbedUntil;

	private boolean dead;

	Actor(String name) {
		this.name = name;
	}

	String name() {
		return this.name;
	}

	/**
	 * Pauses all threads of the process. Its clock continues.
	 * @param time the end of the pause
	 */
	void pauseUntil(long time) {
		this.pausedUntil = Math.max(this.pausedUntil, time);
	}

	long pausedUntil() {
		return this.pausedUntil;
	}

	/**
	 * Records that a fault delays a thread of the process.
	 * @param now the time
	 * @param nanos the length of the delay
	 */
	void disturb(long now, long nanos) {
		this.disturbance += nanos;
		this.disturbedUntil = Math.max(this.disturbedUntil, now + nanos);
	}

	/**
	 * Returns the end of the last of these delays.
	 * @return the time
	 */
	long disturbedUntil() {
		return this.disturbedUntil;
	}

	/**
	 * Returns the time for which faults have delayed threads of the process.
	 * @return the time in nanoseconds
	 */
	long disturbance() {
		return this.disturbance;
	}

	/**
	 * Kills the process. None of its events happens any more.
	 */
	void crash() {
		this.dead = true;
	}

	boolean isDead() {
		return this.dead;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
