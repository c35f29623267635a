package io.lockable.engine.shell;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.store.Inbox;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscription of an engine to the messages of the store. It starts with the first
 * waiter, or the first holder that retains its lock, and stays. Thread-safe.
 */
final class GrantSubscription {

	private static final Logger log = LoggerFactory.getLogger(GrantSubscription.class);

	private final StoreAccess store;

	private final Inbox inbox;

	// Null before the first attempt and after a failed one; completed while messages
	// arrive.
	private final AtomicReference<@Nullable CompletableFuture<Boolean>> subscription = new AtomicReference<>();

	private final Runnable polling;

	/**
	 * Creates a subscription that has not started.
	 * @param store the store
	 * @param inbox receives the messages
	 * @param polling lets all waiters poll; called each time messages begin to arrive
	 */
	GrantSubscription(StoreAccess store, Inbox inbox, Runnable polling) {
		this.store = store;
		this.inbox = inbox;
		this.polling = polling;
	}

	boolean isActive() {
		CompletableFuture<Boolean> current = this.subscription.get();
		return current != null && current.isDone();
	}

	/**
	 * Starts the subscription, unless it has already started.
	 * @return completes when messages arrive, or the attempt has failed
	 */
	CompletableFuture<Boolean> start() {
		CompletableFuture<Boolean> own = new CompletableFuture<>();
		if (!this.store.isQueueing()) {
			return CompletableFuture.completedFuture(false);
		}
		CompletableFuture<Boolean> started = this.subscription.compareAndExchange(null, own);
		if (started != null) {
			return started;
		}
		this.store.subscribe(this.inbox).whenComplete((ok, failure) -> {
			if (failure != null) {
				log.debug("Failed to subscribe to grants; waiters poll until a subscription succeeds",
						LogSafe.of(failure));
				this.subscription.set(null);
				own.complete(false);
			}
			else {
				own.complete(true);
				this.polling.run();
			}
		});
		return own;
	}

	/**
	 * Records that no message arrives until {@link #restored}: waiters poll.
	 */
	void interrupted() {
		this.subscription.set(new CompletableFuture<>());
	}

	void restored() {
		CompletableFuture<Boolean> current = this.subscription.get();
		if (current != null) {
			current.complete(true);
		}
		this.polling.run();
	}

}
