package io.lockable.engine.shell;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The first command to a store: the store connects, and loads the classes of its client.
 * No acquisition is sent before it succeeds. Callers share it, and their waits and leases
 * begin after it.
 *
 * <p>
 * Thread-safe. Invariant: each attempt that a caller joined was current and ends.
 */
final class Opening {

	private final Duration connectTimeout;

	private volatile boolean open;

	private final AtomicReference<@Nullable CompletableFuture<Boolean>> current = new AtomicReference<>();

	// Set before the failed attempt is completed.
	private volatile @Nullable Function<String, LockStoreException> failure;

	/**
	 * Creates the state of a store that has not received a command.
	 * @param connectTimeout the connect timeout of the store, zero if it need not be
	 * opened
	 */
	Opening(Duration connectTimeout) {
		this.connectTimeout = connectTimeout;
		this.open = connectTimeout.isZero();
	}

	boolean isOpen() {
		return this.open;
	}

	/**
	 * Returns the time limit of the next attempt. Only the first one loads classes.
	 * @param commandTimeout the command timeout
	 * @return the limit
	 */
	Duration limit(Duration commandTimeout) {
		return (this.failure == null) ? commandTimeout.plus(this.connectTimeout) : commandTimeout;
	}

	/**
	 * Returns the failure of a command while the store is not open.
	 * @param key the full name of the lock
	 * @return the failure of the last attempt
	 */
	NotSentException failure(String key) {
		Function<String, LockStoreException> last = this.failure;
		LockStoreException reason = (last != null) ? last.apply(key) : null;
		if (reason == null) {
			return new NotSentException(key);
		}
		return (reason instanceof NotSentException notSent) ? notSent : new NotSentException(reason);
	}

	/**
	 * Joins the current attempt, or registers {@code own} as the current one.
	 * @param own the attempt of the caller
	 * @return completes when the attempt ends, even by a failure; {@code null} if the
	 * caller must start the attempt {@code own}
	 */
	@Nullable CompletableFuture<Boolean> join(CompletableFuture<Boolean> own) {
		CompletableFuture<Boolean> joined = this.current.compareAndExchange(null, own);
		// Read last: the thread that opens the store completes an attempt that it finds.
		return this.open ? CompletableFuture.completedFuture(true) : joined;
	}

	/**
	 * Ends an attempt.
	 * @param attempt the attempt
	 * @param cause creates its failure for a lock, or {@code null} if the store is open,
	 * which also ends the current attempt
	 */
	void ended(CompletableFuture<Boolean> attempt, @Nullable Function<String, LockStoreException> cause) {
		if (cause == null) {
			open();
			attempt.complete(true);
		}
		else if (this.current.compareAndSet(attempt, null)) {
			this.failure = cause;
			attempt.complete(false);
		}
	}

	/**
	 * Lets commands pass from now on.
	 */
	void open() {
		this.open = true;
		CompletableFuture<Boolean> waiting = this.current.getAndSet(null);
		if (waiting != null) {
			waiting.complete(true);
		}
	}

}
