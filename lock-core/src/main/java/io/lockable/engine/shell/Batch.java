package io.lockable.engine.shell;

import java.util.concurrent.CompletionStage;

import io.lockable.LockOptions;
import io.lockable.store.Acquisition;
import io.lockable.store.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * One try for several keys, as the acquisition of one of them sees it. Thread-safe.
 */
public interface Batch {

	/**
	 * Returns the options of the call.
	 * @return the options, with the rest of its wait time
	 */
	LockOptions options();

	/**
	 * Receives the command for one key instead of the store.
	 * @param request the lock to acquire
	 * @return its answer, {@code null} if it was not sent
	 */
	CompletionStage<@Nullable Acquisition> offer(LeaseRequest request);

	/**
	 * Returns whether the call requests one key after the other after an incomplete try.
	 * Decided once, so that the events of this try agree with the caller's next step.
	 * @return {@code false} if this try decides
	 */
	boolean isTriedAgain();

	/**
	 * Lets the call request one key after the other, unless {@link #isTriedAgain} has
	 * already decided otherwise.
	 */
	void tryAgain();

}
