package io.lockable.campaign.report;

import java.util.List;

import io.lockable.campaign.contestant.Contestants;

/**
 * The result of one round.
 *
 * @param fault the fault
 * @param contestant the contestant
 * @param topology the topology of the servers
 * @param seed the seed
 * @param acquisitions the number of acquisitions
 * @param expired the number of holders that detected the loss of their lock
 * @param refused the number of writes of former holders that the fenced resource rejected
 * @param recoveryMillis the longest time until a lock had a new holder, from the end of a
 * fault and of the hold during it; -1 if there was none
 * @param hiccupMillis the longest pause of the machine
 * @param violations the broken promises
 * @param evidence the lines of the histories that prove them
 * @param leaks the leftovers
 * @param repeat the command that repeats the round
 */
public record RoundResult(String fault, String contestant, String topology, long seed, int acquisitions, int expired,
		int refused, long recoveryMillis, long hiccupMillis, List<String> violations, List<String> evidence,
		List<String> leaks, String repeat) {

	/**
	 * Returns whether the lock kept its promises and, for a lock of this project, left
	 * nothing behind. The table still shows the leaks of peers.
	 * @return whether the exit code of the campaign may be 0
	 */
	public boolean isSound() {
		return this.violations.isEmpty() && (this.leaks.isEmpty() || !Contestants.isOurs(this.contestant));
	}

	/**
	 * Describes a recovery.
	 * @param millis the time; negative if a lock has not recovered
	 * @return the text
	 */
	public static String recovery(long millis) {
		return (millis < 0) ? "none" : millis + " ms";
	}

}
