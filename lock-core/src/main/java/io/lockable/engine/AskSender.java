package io.lockable.engine;

import java.util.concurrent.CompletionStage;

import io.lockable.engine.queue.Ask;
import io.lockable.store.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands that ask for a lock.
 *
 * @param key the full name of the lock
 * @param mode how much of the lock is wanted
 * @param fair whether to queue behind other instances also when the lock is free
 * @param store the way to the store
 */
record AskSender(String key, LockMode mode, boolean fair, StoreAccess store) {

	CompletionStage<? extends @Nullable Acquisition> send(Ask ask, Waiter waiter) {
		Batch batch = waiter.batch();
		return (batch != null) ? batch.offer(this.key, ask) : this.store.send(this.key, ask, this.mode, this.fair);
	}

}
