package io.lockable.engine.time;

import io.lockable.Internal;

/**
 * Something that a {@link Timer} calls when its time has come.
 */
@Internal
public interface Timed {

	/**
	 * Returns when to call {@link #due}, on the engine's clock. May change at any time;
	 * whoever moves it forward tells the watch.
	 * @return the time in nanoseconds
	 */
	long dueAt();

	/**
	 * Called at or after {@link #dueAt}, on the watch's thread or, over a blocking store,
	 * on a thread that may block. May also be called early: look at the clock.
	 * @param now the time in nanoseconds
	 */
	void due(long now);

}
