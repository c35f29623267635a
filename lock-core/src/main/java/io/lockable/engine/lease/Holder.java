package io.lockable.engine.lease;

import java.util.function.Consumer;

import io.lockable.Internal;
import io.lockable.LockEvent;
import io.lockable.LockOptions;

/**
 * Whose acquisition it is: a thread, or a future that the thread has asked for.
 *
 * @param owner the owner token
 * @param options the options of the acquisition
 * @param events takes the events of the acquisition, on any thread
 * @param thread the thread that asked
 * @param blocking whether that thread waits
 */
@Internal
public record Holder(String owner, LockOptions options, Consumer<LockEvent> events, Thread thread, boolean blocking) {

	/**
	 * Returns the name of the thread that asked.
	 * @return the name, of a thread that does not wait after {@code async}
	 */
	public String name() {
		// As a rule virtual threads have no name
		String name = this.thread.getName().isEmpty() ? this.thread.toString() : this.thread.getName();
		return this.blocking ? name : "async, " + name;
	}

}
