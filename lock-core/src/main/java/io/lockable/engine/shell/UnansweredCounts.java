package io.lockable.engine.shell;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The keys that an owner token of this instance may still lock. Such a token remains
 * after a failed acquisition, transfer or release, until its give-back is answered. Until
 * then, a refusal of the store is not contention.
 *
 * <p>
 * Owner tokens of waiters that timed out are not included: the store has refused them.
 * Invariant: the count of a key is the number of its marked tokens in
 * {@link OrphanCleanup}, so the entry is removed with the last one.
 */
final class UnansweredCounts {

	private final Map<String, Unanswered> byKey = new ConcurrentHashMap<>();

	private final AtomicLong ids = new AtomicLong();

	/**
	 * Returns the unanswered tokens of a key.
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
	 * Records that one token of a key is answered, or that its lease has expired.
	 * @param key the full name of the lock
	 */
	void remove(String key) {
		change(key, (before) -> (before.count() > 1) ? before.withCount(before.count() - 1) : null, null);
	}

	/**
	 * Records a failed give-back, which is retried.
	 * @param key the full name of the lock
	 * @param failure the failure
	 */
	void failed(String key, Throwable failure) {
		change(key, (before) -> new Unanswered(this.ids.incrementAndGet(), before.count(), new CompletableFuture<>()),
				failure);
	}

	// Completes an answer that the change ends, outside the lock of the map.
	private void change(String key, Function<Unanswered, @Nullable Unanswered> change, @Nullable Throwable failure) {
		AtomicReference<@Nullable Unanswered> ended = new AtomicReference<>();
		this.byKey.computeIfPresent(key, (same, before) -> {
			Unanswered next = change.apply(before);
			if (next == null || next.id() != before.id()) {
				ended.set(before);
			}
			return next;
		});
		Unanswered last = ended.get();
		if (last != null) {
			StoreAccess.complete(last.answer(), true, failure);
		}
	}

	/**
	 * The unanswered tokens of one key.
	 *
	 * @param id the id of the answer
	 * @param count the number of owner tokens
	 * @param answer completed when none is left
	 */
	private record Unanswered(long id, int count, CompletableFuture<Boolean> answer) {

		Unanswered withCount(int newCount) {
			return new Unanswered(this.id, newCount, this.answer);
		}

	}

}
