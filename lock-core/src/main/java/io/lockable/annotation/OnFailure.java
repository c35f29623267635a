package io.lockable.annotation;

import io.lockable.LockNotAcquiredException;

/**
 * The outcome of a call if another owner holds its lock until the wait time is over.
 *
 * @since 0.1.0
 */
public enum OnFailure {

	/**
	 * As configured; a scheduled method skips.
	 */
	DEFAULT,

	/**
	 * The call throws {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * The method is skipped: the call returns {@code null} or an empty
	 * {@link java.util.Optional}, and one DEBUG line names the key. Not allowed on a
	 * method with a primitive return type, or on a Kotlin function with a non-null
	 * result.
	 */
	SKIP

}
