package io.lockable.engine.shell;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.shell.OrphanCleanup.Orphan;
import io.lockable.store.Acquisition;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * The release of a lock by a command, whose answer completes the releases of its holders.
 * The key may be retired when the answer arrives.
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
final class ServerRelease {

	private final String key;

	private final Effect.GiveBack back;

	private final @Nullable TransferInFlight transfer;

	private final List<ReleaseAnswer> releases;

	private final EngineParts parts;

	private final OrphanCleanup orphans;

	private final Orphan orphan;

	private final @Nullable Orphan previous;

	/**
	 * Records the release, under the mutex of the key.
	 * @param key the full name of the lock
	 * @param back the release
	 * @param transfer the transfer before it, if that is unanswered
	 * @param releases receive whether the lock was held
	 * @param parts the parts that all keys share
	 * @param orphans keeps the owner tokens until the answer
	 */
	ServerRelease(String key, Effect.GiveBack back, @Nullable TransferInFlight transfer, List<ReleaseAnswer> releases,
			EngineParts parts, OrphanCleanup orphans) {
		this.key = key;
		this.back = back;
		this.transfer = transfer;
		this.releases = releases;
		this.parts = parts;
		this.orphans = orphans;
		this.orphan = orphans.keep(key, back.owner(), back.rest(), back.keptUntil());
		this.previous = (back.previous() != null) ? orphans.keep(key, back.previous(), back.rest(), back.keptUntil())
				: null;
	}

	/**
	 * Prepares the command. It may also queue the next request.
	 * @param answered receives the answer to the next request before the releases end
	 * @return the action that sends the command
	 */
	Runnable sending(BiConsumer<@Nullable Acquisition, @Nullable Throwable> answered) {
		StoreAccess store = this.parts.store();
		AcquireCommand next = this.back.next();
		return (next == null) ? sending(store.givingBack(this.key, this.back.owner(), this.back.keptUntil()),
				(held) -> held, (held, failure) -> {
				}) : sending(store.yielding(this.key, this.back.owner(), next), Yielded::released,
						(yielded, failure) -> answered.accept((yielded != null) ? yielded.next() : null, failure));
	}

	private <T> Runnable sending(Supplier<CompletionStage<T>> command, Function<T, Boolean> isHeld,
			BiConsumer<@Nullable T, @Nullable Throwable> answered) {
		return () -> {
			this.orphan.started();
			if (this.previous != null) {
				this.previous.started();
			}
			this.parts.store().call(this.key, command, (result, failure) -> {
				try {
					answered.accept(result, failure);
				}
				finally {
					answered(failure == null && isHeld.apply(result), failure);
				}
			});
		};
	}

	private void answered(boolean held, @Nullable Throwable failure) {
		if (this.transfer == null) {
			ended(held, failure);
		}
		else if (held || failure != null) {
			// First, so that the withdrawals precede the commands of the releasers.
			withdrawAfter(this.transfer);
			ended(held, failure);
		}
		else {
			releaseAgainAfter(this.transfer);
		}
	}

	// Only without a grant may the old owner token hold the lock.
	private void withdrawAfter(TransferInFlight unanswered) {
		if (!unanswered.isGranted()) {
			unanswered.ended().thenAccept((granted) -> {
				abandon(this.back.owner(), !granted, this.back.keptUntil());
				abandon(previousOwner(), !granted, this.back.keptUntil());
			});
		}
	}

	private void releaseAgainAfter(TransferInFlight unanswered) {
		unanswered.ended().thenCompose((granted) -> {
			CompletionStage<Boolean> again = release(this.back.owner());
			return granted ? again : again.thenCombine(release(previousOwner()), Boolean::logicalOr);
		}).whenComplete((held, failure) -> {
			try {
				if (failure == null && !held && unanswered.mayHaveExpired(this.parts.now())) {
					unanswered.fail(this.parts.store().noAnswer(this.key));
				}
			}
			finally {
				ended(Boolean.TRUE.equals(held), failure);
			}
		});
	}

	private CompletionStage<Boolean> release(String owner) {
		StoreAccess store = this.parts.store();
		return store.call(this.key, store.givingBack(this.key, owner, this.back.keptUntil()));
	}

	private void ended(boolean answer, @Nullable Throwable failure) {
		boolean held = answer || this.orphan.isFound() || (this.previous != null && this.previous.isFound());
		this.orphans.released(this.orphan, failure);
		if (this.previous != null) {
			this.orphans.released(this.previous, failure);
		}
		if (failure == null && !held) {
			// The lease may have expired, which does not serve waiters.
			abandon(this.back.owner(), false, null);
		}
		LockStoreException known = (failure != null) ? this.parts.store().storeFailure(this.key, failure) : null;
		ReleaseAnswer.endAll(this.releases, held, known);
	}

	private void abandon(String owner, boolean mayHold, @Nullable Long keptUntil) {
		this.orphans.abandoning(this.key, owner, this.back.rest(), mayHold, keptUntil).run();
	}

	private String previousOwner() {
		return Objects.requireNonNull(this.back.previous());
	}

}
