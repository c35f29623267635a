package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The keys that an owner token of this instance may still lock: after an acquisition, a
 * transfer or a release that failed, until the give-back of the token is answered. While
 * that is so, a refusal of the store is no contention.
 *
 * <p>
 * Owner tokens of waiters that timed out are not among them: the store has refused those.
 * Invariant: the count of a key is that of its tokens in {@link Abandonments} that are
 * marked as such, so nothing is left when they are gone.
 */
final class Leftovers {

	private final Map<String, Leftover> byKey = new ConcurrentHashMap<>();

	/**
	 * Returns a stage for the tokens of a key that are unanswered now.
	 * @param key the full name of the lock
	 * @return completes when all of them are answered, or with the first failure; or
	 * {@code null} without any
	 */
	@Nullable CompletionStage<Boolean> of(String key) {
		Leftover leftover = this.byKey.get(key);
		return (leftover != null) ? leftover.answer() : null;
	}

	void add(String key) {
		this.byKey.compute(key, (same, before) -> (before == null) ? new Leftover(1, new CompletableFuture<>())
				: new Leftover(before.count() + 1, before.answer()));
	}

	/**
	 * Notes that one token of a key is answered, or that its lease has ended.
	 * @param key the full name of the lock
	 */
	void remove(String key) {
		List<CompletableFuture<Boolean>> ended = new ArrayList<>(1);
		this.byKey.computeIfPresent(key, (same, before) -> {
			if (before.count() > 1) {
				return new Leftover(before.count() - 1, before.answer());
			}
			ended.add(before.answer());
			return null;
		});
		// Not under the lock of the map
		ended.forEach((answer) -> answer.complete(true));
	}

	/**
	 * Notes that a give-back has failed, which is tried again.
	 * @param key the full name of the lock
	 * @param failure why
	 */
	void failed(String key, Throwable failure) {
		List<CompletableFuture<Boolean>> ended = new ArrayList<>(1);
		this.byKey.computeIfPresent(key, (same, before) -> {
			ended.add(before.answer());
			return new Leftover(before.count(), new CompletableFuture<>());
		});
		Consumer<CompletableFuture<Boolean>> fail = (answer) -> answer.completeExceptionally(failure);
		ended.forEach(fail);
	}

	/**
	 * What is unanswered of one key.
	 *
	 * @param count how many owner tokens
	 * @param answer completed when none is left
	 */
	private record Leftover(int count, CompletableFuture<Boolean> answer) {

	}

}
