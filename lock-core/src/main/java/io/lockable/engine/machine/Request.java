package io.lockable.engine.machine;

import java.time.Duration;

/**
 * One acquisition that waits for its key.
 *
 * @param owner the owner token, unique for each acquisition
 * @param lease the requested lease
 * @param patient whether it waits for a holder, or tries once
 * @param deadline the end of its wait
 * @param batched whether the try is a part of one command for several keys
 * @param retain the time for which the instance retains the lock after its release, zero
 * for none
 */
public record Request(String owner, Duration lease, boolean patient, long deadline, boolean batched, Duration retain) {

	/**
	 * Returns whether a refusal ends the wait.
	 * @param now the time
	 * @return whether the request tries once, or its wait is over
	 */
	boolean isOver(long now) {
		return !this.patient || this.deadline - now <= 0;
	}

}
