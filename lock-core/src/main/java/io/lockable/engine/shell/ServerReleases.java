package io.lockable.engine.shell;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.Transfer;
import org.jspecify.annotations.Nullable;

/**
 * Releases the owner tokens of one key by commands, and completes releases with the
 * answers. The key may be retired when the answers arrive.
 *
 * <p>
 * A lock may be released behind an unanswered transfer:
 * <ul>
 * <li>If the server does not have the new owner token at that time, the transfer has
 * failed or arrives later. Both owner tokens are therefore released once more when the
 * transfer has ended. Only then is it known whether the lock was held.</li>
 * <li>A store may infer from the valid lease that a release was executed. This says
 * nothing about which owner token it found. Unless the transfer was granted by then, both
 * owner tokens are therefore withdrawn after its end.</li>
 * <li>The grant of a transfer confirms the releases before it, independent of the
 * successor.</li>
 * </ul>
 */
final class ServerReleases {

	private final String key;

	private final EngineParts parts;

	private final OrphanCleanup orphans;

	ServerReleases(String key, EngineParts parts, OrphanCleanup orphans) {
		this.key = key;
		this.parts = parts;
		this.orphans = orphans;
	}

	/**
	 * Records the release of an owner token.
	 * @param <T> the type of the answer
	 * @param owner the owner token on the server
	 * @param previous the owner token on the server if the previous transfer fails, or
	 * {@code null}
	 * @param rest the maximum time for which the server keeps the lock without a release
	 * @param keptUntil the time until which it stays locked, or {@code null}
	 * @param releases completed with whether the lock was held
	 * @param command the command
	 * @param isHeld reads from its answer whether the lock was held
	 * @param answered receives its answer
	 * @return the action that sends the command
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
			CompletionStage<T> answer = this.parts.store().call(this.key, command);
			answer.whenComplete((result, failure) -> {
				try {
					answered.accept(result, failure);
				}
				finally {
					if (previous == null || failure != null || isHeld.apply(result)) {
						// First, so that the withdrawals precede the commands of the
						// releasers.
						settle(owner, previous, rest, keptUntil);
						ended(orphan, before, (failure == null) && isHeld.apply(result), rest, releases, failure);
					}
					else {
						releaseAgain(owner, previous, keptUntil).whenComplete((held, again) -> {
							if (again == null && !held && previous.transfer().mayHaveExpired(this.parts.now())) {
								previous.transfer().fail(this.parts.store().noAnswer(this.key));
							}
							ended(orphan, before, Boolean.TRUE.equals(held), rest, releases, again);
						});
					}
				}
			});
		};
	}

	private void settle(String owner, @Nullable Previous previous, Duration rest, @Nullable Long keptUntil) {
		if (previous != null && !previous.transfer().isGranted()) {
			// Only without a grant may the old owner token hold the lock.
			previous.transfer().ended().thenAccept((granted) -> {
				this.orphans.abandoning(this.key, owner, rest, !granted, keptUntil).run();
				this.orphans.abandoning(this.key, previous.owner(), rest, !granted, keptUntil).run();
			});
		}
	}

	private CompletionStage<Boolean> releaseAgain(String owner, Previous previous, @Nullable Long keptUntil) {
		return previous.transfer().ended().thenCompose((granted) -> {
			CompletionStage<Boolean> again = release(owner, keptUntil);
			return granted ? again : again.thenCombine(release(previous.owner(), keptUntil), Boolean::logicalOr);
		});
	}

	private CompletionStage<Boolean> release(String owner, @Nullable Long keptUntil) {
		StoreAccess store = this.parts.store();
		return store.call(this.key, store.givingBack(this.key, owner, keptUntil));
	}

	private void ended(Orphan orphan, @Nullable Orphan before, boolean held, Duration rest,
			List<CompletableFuture<Boolean>> releases, @Nullable Throwable failure) {
		this.orphans.released(orphan, failure);
		if (before != null) {
			this.orphans.released(before, failure);
		}
		if (failure != null) {
			LockStoreException known = this.parts.store().storeFailure(this.key, failure);
			releases.forEach((each) -> each.completeExceptionally(known));
			return;
		}
		if (!held) {
			// The lease may have expired, which does not serve waiters.
			this.orphans.abandoning(this.key, orphan.token().owner(), rest, false, null).run();
		}
		releases.forEach((each) -> each.complete(held));
	}

	/**
	 * The owner token on the server if a transfer fails.
	 *
	 * @param owner the owner token
	 * @param transfer the transfer
	 */
	record Previous(String owner, TransferInFlight transfer) {

	}

	/**
	 * A transfer that was sent. Thread-safe, except for {@code overtaken}, which the
	 * mutex of its {@link KeyShell} guards.
	 *
	 * <p>
	 * Invariant: once the lock is released behind a transfer, the transfer's answer does
	 * not reach the key. The release settles the state on the server. Abandoning the
	 * successor after a late answer would free the lock first, and the release would
	 * report it as lost.
	 */
	static final class TransferInFlight {

		private final Transfer transfer;

		private final List<CompletableFuture<Boolean>> covered;

		private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

		private boolean overtaken;

		/**
		 * Creates a transfer.
		 * @param transfer the command
		 * @param covered the releases before it
		 */
		TransferInFlight(Transfer transfer, List<CompletableFuture<Boolean>> covered) {
			this.transfer = transfer;
			this.covered = covered;
		}

		/**
		 * Records the end of the transfer.
		 * @param granted whether the server has executed it; {@code false} also if that
		 * is unknown
		 */
		void end(boolean granted) {
			if (granted) {
				this.covered.forEach((release) -> release.complete(true));
			}
			this.ended.complete(granted);
		}

		/**
		 * Returns the end of the transfer.
		 * @return completes with whether it was granted
		 */
		CompletableFuture<Boolean> ended() {
			return this.ended;
		}

		boolean isGranted() {
			return this.ended.getNow(false);
		}

		boolean mayHaveExpired(long now) {
			return this.transfer.mayHaveExpired(now);
		}

		// Fails the releases before it, unless its grant has confirmed them.
		void fail(LockStoreException unknown) {
			this.covered.forEach((release) -> release.completeExceptionally(unknown));
		}

		/**
		 * Marks that the lock is released behind it.
		 * @return this
		 */
		TransferInFlight overtaken() {
			this.overtaken = true;
			return this;
		}

		boolean isOvertaken() {
			return this.overtaken;
		}

	}

}
