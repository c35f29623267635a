package io.lockable;

/**
 * Whether a release waits for the server.
 *
 * @since 0.1.0
 */
public enum ReleaseMode {

	/**
	 * The releasing thread waits for the answer to a command that is sent after its
	 * release. The release therefore reports whether the lock was held to the end. This
	 * also applies to a local hand-off, in which the next waiter enters immediately.
	 */
	CONFIRMED,

	/**
	 * The thread continues as soon as the command is sent. A loss is reported later, by a
	 * {@link LockListener} event and a warning. A client with several connections, such
	 * as Jedis, keeps no order of commands: over it, the thread waits for the answer.
	 */
	PIPELINED

}
