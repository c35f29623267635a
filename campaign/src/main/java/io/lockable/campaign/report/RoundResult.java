package io.lockable.campaign.report;

import java.util.List;

import io.lockable.campaign.contestant.Contestants;

/**
 * What came of one round.
 *
 * @param fault the fault
 * @param contestant the contestant
 * @param topology how the servers were deployed
 * @param seed the seed
 * @param acquisitions how often a lock was acquired
 * @param expired how often a holder knew that it had lost its lock
 * @param refused how many writes of former holders the fenced resource refused
 * @param recoveryMillis how long after the end of a fault, and of the hold that it met, a
 * lock had a new holder; the longest, -1 if there was none
 * @param hiccupMillis the longest pause of the machine
 * @param violations the promises that were broken
 * @param evidence the lines of the histories that prove it
 * @param leaks what was left behind
 * @param repeat the command that repeats the round
 */
public record RoundResult(String fault, String contestant, String topology, long seed, int acquisitions, int expired,
		int refused, long recoveryMillis, long hiccupMillis, List<String> violations, List<String> evidence,
		List<String> leaks, String repeat) {

	/**
	 * Returns whether the lock kept its promises and, if it is of this project, left
	 * nothing behind. The leaks of peers stay in the table.
	 * @return whether the exit code of the campaign may be 0
	 */
	public boolean isSound() {
		return this.violations.isEmpty() && (this.leaks.isEmpty() || !Contestants.isOurs(this.contestant));
	}

	/**
	 * Returns the recovery as text.
	 * @return milliseconds, or that there was none
	 */
	public String recovery() {
		return recovery(this.recoveryMillis);
	}

	static String recovery(long millis) {
		return (millis < 0) ? "none" : millis + " ms";
	}

}
