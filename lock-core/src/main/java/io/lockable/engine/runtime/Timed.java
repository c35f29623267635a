package io.lockable.engine.runtime;

/**
 * A task that a {@link Timer} calls at its time.
 */
public abstract class Timed {

	private final int hash;

	/**
	 * Creates a task.
	 * @param hash a number that is the same in each run, so that a set has the same order
	 */
	protected Timed(int hash) {
		this.hash = hash;
	}

	/**
	 * Returns the time of the next {@link #due}, on the engine's clock. It may change at
	 * any time; the caller that makes it earlier notifies the timer.
	 * @return the time in nanoseconds
	 */
	public abstract long dueAt();

	/**
	 * Runs the task at or after {@link #dueAt}, on the timer's thread, or on a thread
	 * that may block if the store blocks. An early call is possible: implementations
	 * check the clock.
	 * @param now the time in nanoseconds
	 */
	public abstract void due(long now);

	@Override
	public final boolean equals(Object other) {
		return this == other;
	}

	@Override
	public final int hashCode() {
		return this.hash;
	}

}
