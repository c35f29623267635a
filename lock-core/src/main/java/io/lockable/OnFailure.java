package io.lockable;

/**
 * How a call ends whose lock another owner holds until the wait is over.
 *
 * @since 0.1.0
 */
public enum OnFailure {

	/**
	 * As the properties say; a scheduled method skips.
	 */
	DEFAULT,

	/**
	 * The call throws {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * The method is not run: the call returns {@code null}, or an empty
	 * {@link java.util.Optional}, and one INFO line names the key. Not allowed on a
	 * method that returns a primitive, nor on a function of Kotlin whose result is not
	 * nullable.
	 */
	SKIP

}
