package io.lockable;

/**
 * Whether a release waits for the server.
 *
 * @since 0.1.0
 */
public enum ReleaseMode {

	/**
	 * The releasing thread waits for the answer to a command that is sent after its
	 * release, so it knows whether the lock was its own to the end. That is so also when
	 * a waiter of the same instance takes the lock over, which enters at once.
	 */
	CONFIRMED,

	/**
	 * The command is sent and the thread goes on. Whether the lock was still ours arrives
	 * later, as a {@link LockListener} event and a warning.
	 */
	PIPELINED

}
