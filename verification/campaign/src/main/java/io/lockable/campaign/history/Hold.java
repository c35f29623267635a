package io.lockable.campaign.history;

/**
 * The time of a holder, from the grant to the release.
 *
 * <p>
 * A holder repeatedly asks whether it holds the lock, and reads the clock before and
 * after each question. The answer yes proves a belief at one instant between the two
 * readings, however long the process is paused between them. A lost lock is never held
 * again. Two answers therefore prove a belief from the end of the first question to the
 * start of the last one.
 *
 * @param got the time of the grant at the holder
 * @param token the fencing token, 0 for none
 * @param first the start of the first question with the answer yes
 * @param from the end of that question
 * @param until the start of the last question with the answer yes
 * @param lost the time of the answer no, or {@link Long#MAX_VALUE}
 * @param releasing the start of the release, or {@link Long#MAX_VALUE}
 * @param releasedAt the end of the release, or {@link Long#MAX_VALUE}
 * @param released the result of the release
 */
public record Hold(long got, long token, long first, long from, long until, long lost, long releasing, long releasedAt,
		Released released) {

	/**
	 * Returns whether the belief is proven for more than an instant.
	 * @return whether its duration is positive
	 */
	public boolean isProven() {
		return this.until > this.from;
	}

	/**
	 * Returns whether the holder detected the loss of its lock.
	 * @return whether an answer was no
	 */
	public boolean isLost() {
		return this.lost != Long.MAX_VALUE || this.released == Released.NOT_OURS;
	}

	/**
	 * Returns the latest time at which this holder frees the lock.
	 * @param lease the lease
	 * @return the time of the release, or the end of the lease without one
	 */
	public long over(long lease) {
		return switch (this.released) {
			case OURS, NOT_OURS -> this.releasedAt;
			case UNKNOWN -> this.releasedAt + lease;
			case NEVER -> Math.max(this.got, this.until) + lease;
		};
	}

}
