package io.lockable.engine.machine;

/**
 * The faults on a path.
 */
enum Fault {

	/**
	 * A command, an answer or a message is lost.
	 */
	LOSS,

	/**
	 * The client sends unanswered commands again, so that the server executes them twice.
	 */
	RESEND,

	/**
	 * An instance loses its state.
	 */
	CRASH,

	/**
	 * For a while, all commands, answers, messages and due tasks of an instance may be
	 * late.
	 */
	PAUSE,

	/**
	 * The connection for messages is dropped, and restored later.
	 */
	DISCONNECT,

	/**
	 * An instance shuts down.
	 */
	SHUTDOWN

}
