package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One lease to extend, among many sent together.
 *
 * @param key the full name of the lock
 * @param owner the owner token
 * @param lease how long the lock lives from now on, in whole milliseconds
 * @param result completed by the store: {@code false} if {@code owner} does not hold the
 * lock
 * @since 0.1.0
 */
public record Extension(String key, String owner, Duration lease, CompletableFuture<Boolean> result) {

	/**
	 * Completes the result with the outcome of a stage.
	 * @param stage the stage that answers for this lease
	 */
	public void completeWith(CompletionStage<Boolean> stage) {
		stage.whenComplete((extended, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(failure);
			}
			else {
				this.result.complete(extended);
			}
		});
	}

}
