package io.lockable.campaign.check;

import java.util.List;

import io.lockable.campaign.history.Attempt;

/**
 * A rule about the attempts for one lock.
 */
@FunctionalInterface
interface Rule {

	/**
	 * Finds the violations of the rule.
	 * @param key the lock
	 * @param attempts the attempts for it, in the order of their start
	 * @param conditions the conditions of the round
	 * @return the violations
	 */
	List<Violation> check(String key, List<Attempt> attempts, Conditions conditions);

}
