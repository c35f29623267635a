package io.lockable.redis;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lockable.store.LockStore.LeaseRequest;

/**
 * Runs the calls of each owner one after the other. Calls of different owners run
 * concurrently.
 */
final class OwnerSequence {

	private final Map<Ownership, CompletableFuture<?>> last = new ConcurrentHashMap<>();

	/**
	 * Returns whether a call of an owner is in flight.
	 * @param ownership the owner
	 * @return whether the next call has to wait
	 */
	boolean isBusy(Ownership ownership) {
		return this.last.containsKey(ownership);
	}

	/**
	 * Returns whether a call has not completed, and no later one of its owner is known.
	 * @param ownership the owner
	 * @param done the answer of the call
	 * @return whether the next call would run directly after it
	 */
	boolean isLast(Ownership ownership, CompletableFuture<?> done) {
		return this.last.get(ownership) == done;
	}

	/**
	 * Runs a call after the earlier calls of the same owner have completed.
	 * @param ownership the owner
	 * @param call the call
	 * @param <T> the answer's type
	 * @return the answer
	 */
	<T> CompletableFuture<T> run(Ownership ownership, Supplier<CompletionStage<T>> call) {
		return run(ownership, call, new CompletableFuture<>());
	}

	/**
	 * Runs a call after the earlier calls of the same owner have completed.
	 * @param ownership the owner
	 * @param call the call
	 * @param done completed with its answer
	 * @param <T> the answer's type
	 * @return {@code done}
	 */
	<T> CompletableFuture<T> run(Ownership ownership, Supplier<CompletionStage<T>> call, CompletableFuture<T> done) {
		CompletionStage<?> before = this.last.put(ownership, done);
		CompletionStage<Boolean> turn = (before != null) ? before.handle((answer, failure) -> true)
				: CompletableFuture.completedFuture(true);
		turn.thenCompose((free) -> call.get()).whenComplete((answer, failure) -> {
			this.last.remove(ownership, done);
			if (failure != null) {
				done.completeExceptionally(failure);
			}
			else {
				done.complete(answer);
			}
		});
		return done;
	}

	/**
	 * A lock and one of the owner tokens that contend for it.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	record Ownership(String key, String owner) {

		static Ownership of(LeaseRequest request) {
			return new Ownership(request.key(), request.owner());
		}

	}

}
