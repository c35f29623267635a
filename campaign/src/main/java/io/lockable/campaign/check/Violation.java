package io.lockable.campaign.check;

import java.util.List;

/**
 * A promise that the histories prove broken.
 *
 * @param promise the promise
 * @param key the lock
 * @param what what happened
 * @param ids the attempts that prove it
 */
public record Violation(Promise promise, String key, String what, List<String> ids) {

	@Override
	public String toString() {
		return "%s: %s: %s".formatted(this.promise, this.key, this.what);
	}

	/**
	 * What a lock promises.
	 */
	public enum Promise {

		/**
		 * No two holders believe to hold what only one can have, no reader beside a
		 * writer, and no more holders than permits.
		 */
		EXCLUSION,

		/**
		 * A later acquisition has a larger fencing token.
		 */
		TOKEN_ORDER,

		/**
		 * No write of a former holder is taken after one of a later holder.
		 */
		FENCING,

		/**
		 * An attempt ends with its wait.
		 */
		DEADLINE,

		/**
		 * Nobody waits beside a free lock.
		 */
		PROGRESS,

		/**
		 * A release ends only the own lock.
		 */
		OWN_RELEASE,

		/**
		 * A lock ends with its lease.
		 */
		LEASE_END

	}

}
