package io.lockable.engine.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Internal;
import io.lockable.LogSafe;
import io.lockable.engine.command.StoreAccess;
import io.lockable.store.Inbox;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscription of an engine to the messages of the store. It starts with the first
 * waiter, or the first holder that retains its lock, and stays. Thread-safe.
 */
@Internal
public final class GrantSubscription {

	private static final Logger log = LoggerFactory.getLogger(GrantSubscription.class);

	private final StoreAccess store;

	private final Inbox inbox;

	private final AtomicReference<@Nullable CompletableFuture<Boolean>> subscription = new AtomicReference<>();

	private volatile boolean active;

	GrantSubscription(StoreAccess store, Inbox inbox) {
		this.store = store;
		this.inbox = inbox;
	}

	boolean isActive() {
		return this.active;
	}

	/**
	 * Starts the subscription, unless it has already started.
	 * @param started called after the subscription is active
	 */
	void start(Runnable started) {
		if (!this.store.isQueueing()) {
			return;
		}
		CompletableFuture<Boolean> own = new CompletableFuture<>();
		CompletableFuture<Boolean> earlier = this.subscription.compareAndExchange(null, own);
		CompletionStage<Boolean> awaited = (earlier != null) ? earlier : own;
		awaited.thenRun(() -> this.store.dispatch(started));
		if (earlier == null) {
			this.store.subscribe(this.inbox).whenComplete((ok, failure) -> {
				if (failure != null) {
					log.debug("Failed to subscribe to grants; waiters poll until a subscription succeeds",
							LogSafe.of(failure));
					this.subscription.set(null);
				}
				else {
					this.active = true;
					own.complete(true);
				}
			});
		}
	}

}
