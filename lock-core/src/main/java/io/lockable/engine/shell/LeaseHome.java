package io.lockable.engine.shell;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.engine.machine.KeyEvent;
import org.jspecify.annotations.Nullable;

/**
 * The key of a lease, as the lease sees it. Thread-safe.
 */
interface LeaseHome {

	/**
	 * Returns the name of the lock.
	 * @return the full name
	 */
	String key();

	/**
	 * Passes the lock to the next request of this instance or to another instance, or
	 * releases it.
	 * @param owner the owner token of the holder
	 * @param keptUntil the time until which no owner may have the lock, or {@code null}
	 * @param answer receives the answer of the server
	 */
	void release(String owner, @Nullable Long keptUntil, ReleaseAnswer answer);

	/**
	 * Lets a holder leave this key and keep its owner token, as soon as the server
	 * certainly knows that token; requests of this key must ask the server.
	 * @param owner the owner token of the holder
	 * @return completes with whether it held the lock
	 */
	CompletableFuture<Boolean> dismiss(String owner);

	/**
	 * Calls an action when no transfer is in flight, or the holder has lost the lock. The
	 * server then knows the owner token.
	 * @param owner the owner token of the holder
	 * @param action the action, which does not block
	 */
	void afterTransfer(String owner, Runnable action);

	/**
	 * Prepares the extension of a lease.
	 * @param owner the owner token of the holder
	 * @param wanted the time from now
	 * @return the extension to send, or {@code null} if the lease is over, or a transfer
	 * in flight sets it anyway
	 */
	@Nullable ExtendCommand extend(String owner, Duration wanted);

	/**
	 * Removes a dismissed owner token from the server.
	 * @param owner the owner token
	 * @param rest the maximum time for which it may hold the lock
	 */
	void abandon(String owner, Duration rest);

	/**
	 * Processes an event.
	 * @param event the event
	 */
	void post(KeyEvent event);

}
