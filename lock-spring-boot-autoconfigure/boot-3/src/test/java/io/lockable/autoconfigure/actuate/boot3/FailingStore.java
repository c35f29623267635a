package io.lockable.autoconfigure.actuate.boot3;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.LockStore;

/**
 * A store that does not work.
 */
class FailingStore implements LockStore {

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return CompletableFuture.failedFuture(new LockStoreException("broken", null));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return CompletableFuture.completedFuture(false);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return CompletableFuture.completedFuture(false);
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return CompletableFuture.completedFuture(false);
	}

	@Override
	public String toString() {
		return "a broken store";
	}

}
