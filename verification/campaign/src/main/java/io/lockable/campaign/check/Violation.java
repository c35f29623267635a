package io.lockable.campaign.check;

import java.util.List;

/**
 * A promise that the histories prove broken.
 *
 * @param promise the promise
 * @param key the lock
 * @param what the description of the violation
 * @param ids the attempts that prove it
 */
public record Violation(Promise promise, String key, String what, List<String> ids) {

	@Override
	public String toString() {
		return "%s: %s: %s".formatted(this.promise, this.key, this.what);
	}

	/**
	 * A promise of a lock.
	 */
	public enum Promise {

		/**
		 * No two holders believe to hold a lock that admits only one of them. A writer
		 * excludes readers, and permits limit the holders.
		 */
		EXCLUSION,

		/**
		 * A later acquisition has a larger fencing token.
		 */
		TOKEN_ORDER,

		/**
		 * No write of a former holder is accepted after a write of a later holder.
		 */
		FENCING,

		/**
		 * An attempt ends with its wait.
		 */
		DEADLINE,

		/**
		 * No waiter waits for a free lock.
		 */
		PROGRESS,

		/**
		 * A release ends only the lock of its owner.
		 */
		OWN_RELEASE,

		/**
		 * A lock expires with its lease.
		 */
		LEASE_END

	}

}
