package io.lockable.engine.lease;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * The keys that an owner token of this instance may still lock: after an acquisition, a
 * transfer or a release that failed, until the give-back of the token is answered. While
 * that is so, a refusal of the store is no contention.
 *
 * <p>
 * Owner tokens of waiters that timed out are not among them: the store has refused those.
 * Invariant: the count of a key is that of its tokens in {@link OrphanCleanup} that are
 * marked as such, so nothing is left when they are gone.
 */
@Internal
public final class Orphans {

	private final Map<String, Unanswered> byKey = new ConcurrentHashMap<>();

	private final AtomicLong ids = new AtomicLong();

	/**
	 * Returns the tokens of a key that are unanswered now.
	 * @param key the full name of the lock
	 * @return their id, which changes with each failure; 0 without any
	 */
	long unanswered(String key) {
		Unanswered found = this.byKey.get(key);
		return (found != null) ? found.id() : 0;
	}

	/**
	 * Returns the answer for tokens of a key.
	 * @param key the full name of the lock
	 * @param id their id
	 * @return completes when all of them are answered, or with the first failure; already
	 * completed if that is so
	 */
	CompletionStage<Boolean> answer(String key, long id) {
		Unanswered found = this.byKey.get(key);
		return (found != null && found.id() == id) ? found.answer() : CompletableFuture.completedStage(true);
	}

	void add(String key) {
		this.byKey.compute(key, (same, before) -> (before != null) ? before.withCount(before.count() + 1)
				: new Unanswered(this.ids.incrementAndGet(), 1, new CompletableFuture<>()));
	}

	/**
	 * Notes that one token of a key is answered, or that its lease has ended.
	 * @param key the full name of the lock
	 */
	void remove(String key) {
		AtomicReference<@Nullable Unanswered> ended = new AtomicReference<>();
		this.byKey.computeIfPresent(key, (same, before) -> {
			if (before.count() > 1) {
				return before.withCount(before.count() - 1);
			}
			ended.set(before);
			return null;
		});
		// Not under the lock of the map
		Unanswered last = ended.get();
		if (last != null) {
			last.answer().complete(true);
		}
	}

	/**
	 * Notes that a give-back has failed, which is tried again.
	 * @param key the full name of the lock
	 * @param failure why
	 */
	void failed(String key, Throwable failure) {
		AtomicReference<@Nullable Unanswered> ended = new AtomicReference<>();
		this.byKey.computeIfPresent(key, (same, before) -> {
			ended.set(before);
			return new Unanswered(this.ids.incrementAndGet(), before.count(), new CompletableFuture<>());
		});
		Unanswered earlier = ended.get();
		if (earlier != null) {
			earlier.answer().completeExceptionally(failure);
		}
	}

	/**
	 * What is unanswered of one key.
	 *
	 * @param id identifies the answer
	 * @param count how many owner tokens
	 * @param answer completed when none is left
	 */
	private record Unanswered(long id, int count, CompletableFuture<Boolean> answer) {

		Unanswered withCount(int newCount) {
			return new Unanswered(this.id, newCount, this.answer);
		}

	}

}
