package io.lockable.engine.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.engine.command.StoreAccess;
import org.jspecify.annotations.Nullable;

/**
 * Gives up the owner tokens of one key by commands, and completes releases with the
 * answers. The key may be retired when these come.
 *
 * <p>
 * A lock may be given up behind a transfer that is not answered yet. If the server does
 * not have the new owner token then, the transfer has failed, or comes later after all.
 * So both owner tokens are released once more when it has ended, and only then is it
 * known whether the lock was held.
 */
final class GiveBacks {

	private final String key;

	private final EngineRuntime runtime;

	private final OrphanCleanup orphans;

	GiveBacks(String key, EngineRuntime runtime, OrphanCleanup orphans) {
		this.key = key;
		this.runtime = runtime;
		this.orphans = orphans;
	}

	/**
	 * Notes that an owner token is given up.
	 * @param <T> the type of the answer
	 * @param owner the owner token that the server has
	 * @param previous the one that it has if the transfer before fails, or {@code null}
	 * @param rest how long the server may keep the lock if nobody gives it back
	 * @param keptUntil until when it stays locked, or {@code null}
	 * @param releases completed with whether the lock was held
	 * @param command the command
	 * @param isHeld reads from its answer whether the lock was held
	 * @param answered learns of its answer
	 * @return sends the command
	 */
	<T> Runnable of(String owner, @Nullable Previous previous, Duration rest, @Nullable Long keptUntil,
			List<CompletableFuture<Boolean>> releases, Supplier<CompletionStage<T>> command,
			Function<T, Boolean> isHeld, BiConsumer<@Nullable T, @Nullable Throwable> answered) {
		Orphan orphan = this.orphans.releasing(this.key, owner, rest, keptUntil);
		Orphan before = (previous != null) ? this.orphans.releasing(this.key, previous.owner(), rest, keptUntil) : null;
		return () -> {
			orphan.started();
			if (before != null) {
				before.started();
			}
			CompletionStage<T> answer = this.runtime.store().call(this.key, command);
			answer.whenComplete((result, failure) -> {
				try {
					answered.accept(result, failure);
				}
				finally {
					if (previous == null || failure != null || isHeld.apply(result)) {
						ended(orphan, before, (failure == null) && isHeld.apply(result), rest, releases, failure);
						settle(owner, previous, rest);
					}
					else {
						releaseAgain(owner, previous, keptUntil).whenComplete((held, again) -> ended(orphan, before,
								Boolean.TRUE.equals(held), rest, releases, again));
					}
				}
			});
		};
	}

	// A transfer that ends later than what came behind it may have been executed later.
	private void settle(String owner, @Nullable Previous previous, Duration rest) {
		if (previous != null && !previous.transferred().isDone()) {
			previous.transferred().thenRun(() -> {
				this.orphans.abandoning(this.key, owner, rest, false, null).run();
				this.orphans.abandoning(this.key, previous.owner(), rest, false, null).run();
			});
		}
	}

	private CompletionStage<Boolean> releaseAgain(String owner, Previous previous, @Nullable Long keptUntil) {
		return previous.transferred()
			.thenCompose((ended) -> release(owner, keptUntil))
			.thenCompose(
					(held) -> held ? CompletableFuture.completedStage(true) : release(previous.owner(), keptUntil));
	}

	private CompletionStage<Boolean> release(String owner, @Nullable Long keptUntil) {
		StoreAccess store = this.runtime.store();
		return store.call(this.key, store.givingBack(this.key, owner, keptUntil));
	}

	private void ended(Orphan orphan, @Nullable Orphan before, boolean held, Duration rest,
			List<CompletableFuture<Boolean>> releases, @Nullable Throwable failure) {
		this.orphans.released(orphan, failure);
		if (before != null) {
			this.orphans.released(before, failure);
		}
		if (failure != null) {
			LockStoreException known = this.runtime.store().storeFailure(this.key, failure);
			releases.forEach((each) -> each.completeExceptionally(known));
			return;
		}
		if (!held) {
			// It may have ended by itself, which serves nobody who waits
			this.orphans.abandoning(this.key, orphan.token().owner(), rest, false, null).run();
		}
		releases.forEach((each) -> each.complete(held));
	}

	/**
	 * What the server has if a transfer fails.
	 *
	 * @param owner the owner token
	 * @param transferred completes when the transfer has ended
	 */
	record Previous(String owner, CompletableFuture<Boolean> transferred) {

	}

	/**
	 * A transfer that was sent. Guarded by the mutex of its {@link LocalQueue}, except
	 * for {@link #end}.
	 *
	 * <p>
	 * Invariant: once the lock is given up behind a transfer, its answer does not reach
	 * the key. The give-back settles what the server has; to abandon the successor
	 * because of a late answer would free the lock before the give-back does, which then
	 * found it lost.
	 */
	static final class TransferInFlight {

		private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

		private boolean overtaken;

		void end() {
			this.ended.complete(true);
		}

		/**
		 * Notes that the lock is given up behind it.
		 * @return completes when the transfer has ended
		 */
		CompletableFuture<Boolean> overtaken() {
			this.overtaken = true;
			return this.ended;
		}

		boolean isOvertaken() {
			return this.overtaken;
		}

	}

}
