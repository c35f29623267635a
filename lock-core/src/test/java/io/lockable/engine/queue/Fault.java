package io.lockable.engine.queue;

/**
 * What goes wrong on a path.
 */
enum Fault {

	/**
	 * A command, an answer or a message is lost.
	 */
	LOSS,

	/**
	 * The client sends again what is unanswered, so that the server executes it twice.
	 */
	RESEND,

	/**
	 * An instance forgets all.
	 */
	CRASH,

	/**
	 * For a while, all that an instance sends, gets or is to do may be late.
	 */
	PAUSE,

	/**
	 * The connection for messages is dropped, and back later.
	 */
	DISCONNECT,

	/**
	 * An instance shuts down.
	 */
	SHUTDOWN

}
