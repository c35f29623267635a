package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * The lock context of the current thread.
 */
@Internal
public final class LockContextHolder {

	private static final ThreadLocal<@Nullable LockContext> CURRENT = new ThreadLocal<>();

	private LockContextHolder() {
	}

	static @Nullable LockContext get() {
		return CURRENT.get();
	}

	/**
	 * Sets the context of the current thread, for code that runs a body or carries a
	 * context to another thread. The caller restores the previous context on the same
	 * thread.
	 * @param context the context, or {@code null} for none
	 * @return the previous context, or {@code null}
	 */
	public static @Nullable LockContext replace(@Nullable LockContext context) {
		LockContext previous = CURRENT.get();
		if (context != null) {
			CURRENT.set(context);
		}
		else if (previous != null) {
			CURRENT.remove();
		}
		return previous;
	}

}
