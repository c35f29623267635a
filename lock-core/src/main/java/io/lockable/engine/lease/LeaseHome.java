package io.lockable.engine.lease;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.Internal;
import io.lockable.engine.command.Extending;
import io.lockable.engine.queue.KeyEvent;
import org.jspecify.annotations.Nullable;

/**
 * The key of a lease, as the lease sees it. Thread-safe.
 */
@Internal
public interface LeaseHome {

	/**
	 * Returns the name of the lock.
	 * @return the full name
	 */
	String key();

	/**
	 * Gives the lock to the next request of this instance, to another instance, or back.
	 * @param owner the owner token of the holder
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @return completes with the answer of the server: whether the lock was still ours
	 */
	CompletionStage<Boolean> release(String owner, @Nullable Long keptUntil);

	/**
	 * Lets a holder go on outside of this key, still under its owner token; requests here
	 * have to ask the server.
	 * @param owner the owner token of the holder
	 * @return whether it held the lock; {@code null} while the server may not know its
	 * owner token yet
	 */
	@Nullable Boolean dismiss(String owner);

	/**
	 * Prepares to extend a lease.
	 * @param owner the owner token of the holder
	 * @param wanted how long from now
	 * @return what to send, or {@code null} if the lease is over, or a transfer in flight
	 * sets it anyway
	 */
	@Nullable Extending extend(String owner, Duration wanted);

	/**
	 * Makes the server forget an owner token that was dismissed.
	 * @param owner the owner token
	 * @param rest how long it may hold the lock at most
	 */
	void abandon(String owner, Duration rest);

	/**
	 * Takes note of an event.
	 * @param event the event
	 */
	void post(KeyEvent event);

	/**
	 * Takes note of the end of a transfer, unless the lock is given up behind it.
	 * @param event the event
	 * @param transfer the transfer
	 */
	void post(KeyEvent.TransferAnswered event, GiveBacks.TransferInFlight transfer);

}
