package io.lockable.campaign.history;

/**
 * The time of a holder, from the grant to the release.
 *
 * <p>
 * A holder asks again and again whether it holds the lock, and reads the clock before and
 * after each question. An answer that is yes proves a belief at one instant between the
 * two readings, however long the process is paused between them. A lock that is not held
 * is never held again, so two answers prove a belief for all instants from the end of the
 * first question to the start of the last one.
 *
 * @param got when the holder knew
 * @param token the fencing token, 0 for none
 * @param first the start of the first question that was answered with yes
 * @param from the end of that question
 * @param until the start of the last question that was answered with yes
 * @param lost when an answer was no, or {@link Long#MAX_VALUE}
 * @param releasing when the release began, or {@link Long#MAX_VALUE}
 * @param releasedAt when the release was over, or {@link Long#MAX_VALUE}
 * @param released what the release said
 */
public record Hold(long got, long token, long first, long from, long until, long lost, long releasing, long releasedAt,
		Released released) {

	/**
	 * Returns whether the belief is proven for more than an instant.
	 * @return whether it has a length
	 */
	public boolean isProven() {
		return this.until > this.from;
	}

	/**
	 * Returns whether the holder knew that it had lost the lock.
	 * @return whether an answer was no
	 */
	public boolean isLost() {
		return this.lost != Long.MAX_VALUE || this.released == Released.NOT_OURS;
	}

	/**
	 * Returns when the lock was free again at the latest, as far as this holder goes.
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
