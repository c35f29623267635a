package io.lockable.annotation;

/**
 * The kind of exclusion of a lock.
 *
 * @since 0.1.0
 */
public enum LockType {

	/**
	 * One holder at a time.
	 */
	EXCLUSIVE,

	/**
	 * Many readers at a time, and no writer.
	 */
	READ,

	/**
	 * One writer at a time, and no reader: the same lock as {@link #EXCLUSIVE}.
	 */
	WRITE

}
