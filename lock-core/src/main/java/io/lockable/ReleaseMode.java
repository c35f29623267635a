package io.lockable;

/**
 * Whether a release waits for the server.
 *
 * @since 0.1.0
 */
public enum ReleaseMode {

	/**
	 * The releasing thread waits for the answer, so it knows whether the lock was its own
	 * to the end.
	 */
	CONFIRMED,

	/**
	 * The command is sent and the thread goes on. Whether the lock was still ours arrives
	 * later, as a {@link LockListener} event and a warning.
	 */
	PIPELINED

}
