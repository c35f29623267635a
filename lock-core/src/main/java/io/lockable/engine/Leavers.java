package io.lockable.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The releasers of one {@link Hold}: holders that have left and wait for the store to
 * confirm that the lock was theirs to the end.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>Only the answer to a command that was sent after a releaser left confirms it. The
 * transfer in flight <i>covers</i> the releasers that left before; the others wait for
 * the next command: a transfer, a release, or a yielded turn.</li>
 * <li>A transfer that is sent again covers all releasers that have left until then. The
 * answer to an earlier copy confirms nobody.</li>
 * <li>Without a transfer in flight or to be sent again, no releaser waits: the last one
 * to leave either goes with a command or waits for the answer of one.</li>
 * <li>Each releaser is taken once, and completed by the caller that takes it.</li>
 * </ol>
 *
 * <p>
 * Guarded by the mutex of its {@link LockQueue}. Completes futures only in what it
 * returns, which is run without the mutex. The future of the first releaser completes
 * those that joined it.
 */
final class Leavers {

	private @Nullable CompletableFuture<Boolean> covered;

	private @Nullable CompletableFuture<Boolean> uncovered;

	/**
	 * Adds a holder that leaves.
	 * @param released completed when the store has answered
	 */
	void add(CompletableFuture<Boolean> released) {
		this.uncovered = join(this.uncovered, released);
	}

	/**
	 * Notes that a command is sent, which covers all that have left.
	 */
	void sent() {
		this.covered = join(this.covered, this.uncovered);
		this.uncovered = null;
	}

	/**
	 * Takes all releasers, for a command that ends the hold.
	 * @return to be completed with the answer
	 */
	CompletableFuture<Boolean> takeAll() {
		sent();
		return takeCovered();
	}

	private CompletableFuture<Boolean> takeCovered() {
		CompletableFuture<Boolean> taken = (this.covered != null) ? this.covered : new CompletableFuture<>();
		this.covered = null;
		return taken;
	}

	/**
	 * Takes the releasers that the command in flight confirms.
	 * @return completes them
	 */
	Runnable confirmed() {
		CompletableFuture<Boolean> taken = takeCovered();
		return () -> taken.complete(true);
	}

	/**
	 * Takes all releasers of a lock that is not ours any more.
	 * @return completes them
	 */
	Runnable lost() {
		CompletableFuture<Boolean> taken = takeAll();
		return () -> taken.complete(false);
	}

	/**
	 * Takes all releasers of a lock of which nothing will be known.
	 * @param failure why
	 * @return completes them
	 */
	Runnable failed(LockStoreException failure) {
		CompletableFuture<Boolean> taken = takeAll();
		return () -> taken.completeExceptionally(failure);
	}

	private static @Nullable CompletableFuture<Boolean> join(@Nullable CompletableFuture<Boolean> first,
			@Nullable CompletableFuture<Boolean> next) {
		if (first == null || next == null) {
			return (first != null) ? first : next;
		}
		CompletionStage<Boolean> outcome = first;
		outcome.whenComplete((ours, failure) -> {
			if (failure != null) {
				next.completeExceptionally(failure);
			}
			else {
				next.complete(ours);
			}
		});
		return first;
	}

}
