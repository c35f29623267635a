package io.lockable.campaign.check;

import java.util.List;

import io.lockable.campaign.history.Attempt;

/**
 * A rule about the attempts for one lock.
 */
@FunctionalInterface
interface Rule {

	/**
	 * Finds what breaks the rule.
	 * @param key the lock
	 * @param attempts the attempts for it, in the order in which they began
	 * @param conditions what the round was like
	 * @return the violations
	 */
	List<Violation> check(String key, List<Attempt> attempts, Conditions conditions);

}
