package io.lockable.engine.shell;

import org.jspecify.annotations.Nullable;

/**
 * The part of a lock that an acquirer requests.
 *
 * @param permits the maximum number of holders, this one included; 0 for the exclusive
 * lock
 * @param predecessor the owner token of the exclusive holder that this one replaces;
 * {@code null} for none
 */
public record LockMode(int permits, @Nullable String predecessor) {

	/**
	 * The exclusive lock.
	 */
	public static final LockMode ALL = new LockMode(0, null);

	/**
	 * A share of the lock, with any number of other sharers.
	 */
	public static final LockMode SHARE = new LockMode(Integer.MAX_VALUE, null);

	public static LockMode oneOf(int permits) {
		return new LockMode(permits, null);
	}

	public static LockMode downgradeOf(String owner) {
		return new LockMode(Integer.MAX_VALUE, owner);
	}

	public boolean isShared() {
		return this.permits > 0;
	}

}
