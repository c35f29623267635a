package io.lockable.engine.shell;

import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockOptions;

/**
 * The caller of an acquisition: a thread, or a future that the thread requested.
 *
 * @param owner the owner token
 * @param options the options of the acquisition
 * @param events receives the events of the acquisition, on any thread
 * @param thread the calling thread
 * @param blocking whether that thread waits
 */
record Caller(String owner, LockOptions options, Consumer<LockEvent> events, Thread thread, boolean blocking) {

	/**
	 * Returns the name of the calling thread.
	 * @return the name, after {@code async} for a thread that does not wait
	 */
	String name() {
		return this.blocking ? nameOf(this.thread) : "async, " + nameOf(this.thread);
	}

	static String nameOf(Thread thread) {
		// Virtual threads usually have no name.
		return thread.getName().isEmpty() ? thread.toString() : thread.getName();
	}

}
