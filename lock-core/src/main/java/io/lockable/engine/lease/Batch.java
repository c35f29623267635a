package io.lockable.engine.lease;

import java.util.concurrent.CompletionStage;

import io.lockable.Internal;
import io.lockable.engine.queue.Ask;
import io.lockable.store.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * One try for several keys, as the waiter for one of them sees it. Thread-safe.
 */
@Internal
public interface Batch {

	boolean isPatient();

	/**
	 * Takes the command for one key instead of the store.
	 * @param key the full name of the lock
	 * @param ask the command
	 * @return its answer, {@code null} if it was not sent
	 */
	CompletionStage<@Nullable Acquisition> offer(String key, Ask ask);

	/**
	 * Returns whether the call asks for one key after the other when this try has not got
	 * all. Decided once, so that the events of this try agree with what the caller does.
	 * @return {@code false} if this try decides
	 */
	boolean isTriedAgain();

	/**
	 * Lets the call ask for one key after the other, unless it is decided that it does
	 * not.
	 */
	void tryAgain();

}
