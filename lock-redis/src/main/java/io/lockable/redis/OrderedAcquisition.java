package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition;
import io.lockable.store.Attempt;
import io.lockable.store.Granted;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Takes several locks one after the other, all or none: for a server that does not run
 * the script for all of them. The first lock that is refused or fails ends it, and those
 * taken before are released.
 *
 * <p>
 * {@code taken} is used by one callback after the other.
 */
final class OrderedAcquisition {

	private final LockStore store;

	private final List<Attempt> attempts;

	private final List<Acquisition> taken = new ArrayList<>();

	private OrderedAcquisition(LockStore store, List<Attempt> attempts) {
		this.store = store;
		this.attempts = attempts;
	}

	/**
	 * Starts to take the locks.
	 * @param store takes and releases each
	 * @param attempts the locks, in the order in which to take them; each is answered by
	 * completing its result
	 */
	static void start(LockStore store, List<Attempt> attempts) {
		new OrderedAcquisition(store, attempts).start();
	}

	private void start() {
		CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
		for (Attempt attempt : this.attempts) {
			all = all.thenCompose((taken) -> taken ? take(attempt) : CompletableFuture.completedFuture(false));
		}
		all.thenAccept((taken) -> {
			if (taken) {
				for (int i = 0; i < this.taken.size(); i++) {
					this.attempts.get(i).result().complete(this.taken.get(i));
				}
			}
		});
	}

	private CompletionStage<Boolean> take(Attempt attempt) {
		return this.store.acquire(attempt.key(), attempt.owner(), attempt.lease()).handle((answer, failure) -> {
			if (answer instanceof Granted) {
				this.taken.add(answer);
				return true;
			}
			end(attempt, answer, failure);
			return false;
		});
	}

	private void end(Attempt last, @Nullable Acquisition answer, @Nullable Throwable failure) {
		for (Attempt attempt : this.attempts.subList(0, this.taken.size())) {
			this.store.release(attempt.key(), attempt.owner())
				.whenComplete((released, unreleased) -> complete(attempt, null, unreleased));
		}
		complete(last, answer, failure);
		this.attempts.subList(this.taken.size() + 1, this.attempts.size())
			.forEach((attempt) -> complete(attempt, null, null));
	}

	private static void complete(Attempt attempt, @Nullable Acquisition answer, @Nullable Throwable failure) {
		if (failure != null) {
			attempt.result().completeExceptionally(failure);
		}
		else {
			attempt.result().complete(answer);
		}
	}

}
