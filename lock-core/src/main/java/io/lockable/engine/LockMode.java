package io.lockable.engine;

import org.jspecify.annotations.Nullable;

/**
 * How much of a lock an acquirer wants.
 *
 * @param permits how many may hold the lock together with this one included; 0 to hold it
 * alone
 * @param predecessor the owner token that holds all of the lock and whose place this one
 * takes; {@code null} for an acquirer that comes from outside
 */
record LockMode(int permits, @Nullable String predecessor) {

	/**
	 * All of the lock.
	 */
	static final LockMode ALL = new LockMode(0, null);

	/**
	 * A share of the lock, along with any number of others.
	 */
	static final LockMode SHARE = new LockMode(Integer.MAX_VALUE, null);

	static LockMode oneOf(int permits) {
		return new LockMode(permits, null);
	}

	static LockMode downgradeOf(String owner) {
		return new LockMode(Integer.MAX_VALUE, owner);
	}

	boolean isShared() {
		return this.permits > 0;
	}

}
