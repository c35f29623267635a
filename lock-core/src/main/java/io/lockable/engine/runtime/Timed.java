package io.lockable.engine.runtime;

/**
 * A task that a {@link Timer} calls at its time.
 */
public interface Timed {

	/**
	 * Returns the time of the next {@link #due}, on the engine's clock. It may change at
	 * any time; the caller that makes it earlier notifies the timer.
	 * @return the time in nanoseconds
	 */
	long dueAt();

	/**
	 * Runs the task at or after {@link #dueAt}, on the timer's thread, or on a thread
	 * that may block if the store blocks. An early call is possible: implementations
	 * check the clock.
	 * @param now the time in nanoseconds
	 */
	void due(long now);

}
