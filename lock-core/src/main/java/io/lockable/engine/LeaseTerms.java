package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Extension;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the extensions of a current lease, and notes what the store answers.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>Each command names the owner token of the moment in which it was decided: if a
 * successor has the hold when it is sent, it does not hit that one.</li>
 * <li>Nothing is sent while a transfer is on its way, which sets the lease anyway.</li>
 * </ol>
 *
 * <p>
 * Has no state of its own: that is in the {@link Hold}, and each decision is a step of
 * the {@link LockQueue}.
 */
final class LeaseTerms {

	private final LockQueues queues;

	private final StoreAccess store;

	LeaseTerms(LockQueues queues, StoreAccess store) {
		this.queues = queues;
		this.store = store;
	}

	/**
	 * Prepares to extend a lease.
	 * @param lease the lease to extend
	 * @param wanted how long from now
	 * @param applied completed with the answer after it has taken effect here
	 * @return what to send, or {@code null} if the lease is over, or a transfer on its way
	 * sets it anyway
	 */
	@Nullable Extension extension(HeldLease lease, Duration wanted, CompletableFuture<Boolean> applied) {
		return lease.queue().withHold(lease, (held) -> {
			if (held == null || held.transfer() != null) {
				return null;
			}
			return extension(held, lease, wanted, applied);
		});
	}

	/**
	 * Prepares to ask the store whether a lease is still ours: by an extension to what is
	 * left of it anyway.
	 * @param lease the lease
	 * @return what to send, or {@code null} if the lease is over or a transfer on its way
	 */
	@Nullable Extension question(HeldLease lease) {
		return lease.queue().withHold(lease, (held) -> {
			if (held == null || held.transfer() != null) {
				return null;
			}
			long left = TimeUnit.NANOSECONDS.toMillis(held.deadline() - this.queues.now());
			return extension(held, lease, Duration.ofMillis(Math.max(1, left)), new CompletableFuture<>());
		});
	}

	private Extension extension(Hold held, HeldLease lease, Duration wanted, CompletableFuture<Boolean> applied) {
		long sentAt = this.queues.now();
		Extension extension = new Extension(lease.key(), held.owner(), wanted, new CompletableFuture<>());
		held.mayEndAt(Deadline.after(sentAt, wanted));
		CompletionStage<Boolean> answer = extension.result();
		answer.whenComplete((extended, failure) -> {
			lease.queue().withHold(lease, (current) -> {
				if (current == held && held.owner().equals(extension.owner())) {
					extended(lease, held, extension, sentAt, (failure != null) ? null : extended);
				}
				return true;
			});
			if (failure != null) {
				applied.completeExceptionally(failure);
			}
			else {
				applied.complete(extended);
			}
		});
		return extension;
	}

	/**
	 * Notes the answer to an extension of the lease that is still current, or that there
	 * is none. It is about an owner token, which a transfer on its way may have replaced:
	 * only of the holder's does a "no" mean a loss.
	 */
	private void extended(HeldLease lease, Hold held, Extension extension, long sentAt, @Nullable Boolean extended) {
		if (Boolean.FALSE.equals(extended)) {
			if (held.transfer() == null) {
				lease.queue().disown();
			}
			return;
		}
		held.mayEndAt(Deadline.after(this.queues.now(), extension.lease()));
		if (extended != null && held.transfer() == null) {
			held.extended(Deadline.ofLease(sentAt, extension.lease()));
		}
	}

}
