package io.lockable.engine.command;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * How much of a lock an acquirer wants.
 *
 * @param permits how many may hold the lock together with this one included; 0 to hold it
 * alone
 * @param predecessor the owner token that holds all of the lock and whose place this one
 * takes; {@code null} for an acquirer that comes from outside
 */
@Internal
public record LockMode(int permits, @Nullable String predecessor) {

	/**
	 * All of the lock.
	 */
	public static final LockMode ALL = new LockMode(0, null);

	/**
	 * A share of the lock, along with any number of others.
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
