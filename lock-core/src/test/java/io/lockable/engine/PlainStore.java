package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition;
import io.lockable.store.LockStore;

/**
 * A scripted store without queues.
 */
final class PlainStore implements LockStore {

	private final ScriptedStore script;

	private final boolean blocking;

	PlainStore(ScriptedStore script, boolean blocking) {
		this.script = script;
		this.blocking = blocking;
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return answered(this.script.acquire(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return answered(this.script.release(key, owner));
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return answered(this.script.extend(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return answered(this.script.isLocked(key));
	}

	@Override
	public boolean isBlocking() {
		return this.blocking;
	}

	private <T> CompletionStage<T> answered(CompletionStage<T> stage) {
		if (this.blocking) {
			stage.toCompletableFuture().join();
		}
		return stage;
	}

}
