package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Extension;
import org.jspecify.annotations.Nullable;

/**
 * For how long the store lets a lease live: prepares what it is told of that, and notes
 * what it answers. A current lease is extended; one that is kept until its shortest hold
 * is over is told to end neither before nor much later.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>Each command names the owner token of the moment in which it was decided: if a
 * successor has the hold when it is sent, it does not hit that one.</li>
 * <li>Nothing is told while a transfer is on its way, which sets the lease anyway.</li>
 * <li>The local deadline moves before the store is told to shorten the lease, and is not
 * moved by what was sent to extend it before: a successor never counts on what the store
 * may end sooner.</li>
 * </ol>
 *
 * <p>
 * Has no state of its own: that is in the {@link Hold} and its {@link StoreEnd}, and each
 * decision is a step of the {@link LockQueue}.
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
	 * @return what to send, or {@code null} if the lease is over or only kept, or a
	 * transfer on its way sets it anyway
	 */
	@Nullable Extension extension(HeldLease lease, Duration wanted, CompletableFuture<Boolean> applied) {
		return lease.queue().withHold(lease, (held) -> {
			if (held == null || held.transfer() != null || lease.isKept()) {
				return null;
			}
			return extension(held, lease, wanted, false, applied);
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
			return extension(held, lease, Duration.ofMillis(Math.max(1, left)), false, new CompletableFuture<>());
		});
	}

	private Extension extension(Hold held, HeldLease lease, Duration wanted, boolean keeping,
			CompletableFuture<Boolean> applied) {
		long sentAt = this.queues.now();
		Extension extension = new Extension(lease.key(), held.owner(), wanted, new CompletableFuture<>());
		held.end().extending(Deadline.after(sentAt, wanted));
		CompletionStage<Boolean> answer = extension.result();
		answer.whenComplete((extended, failure) -> {
			lease.queue().withHold(lease, (current) -> {
				held.end().answered();
				if (current == held && held.owner().equals(extension.owner())) {
					extended(lease, held, extension, sentAt, keeping, (failure != null) ? null : extended);
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
	private void extended(HeldLease lease, Hold held, Extension extension, long sentAt, boolean keeping,
			@Nullable Boolean extended) {
		long now = this.queues.now();
		if (Boolean.FALSE.equals(extended)) {
			if (held.transfer() == null) {
				lease.queue().disown();
			}
			return;
		}
		held.end().mayEndAt(Deadline.after(now, extension.lease()));
		if (extended != null && held.transfer() == null) {
			held.extended(Deadline.ofLease(sentAt, extension.lease()), keeping);
		}
		held.tellNotBefore((extended != null) ? now : LeaseKeeper.retryAt(lease, now));
	}

	// What is kept

	/**
	 * Keeps a lease that its holder releases before its shortest hold is over: it stays
	 * current until then.
	 * @param lease the lease
	 * @return {@code false} if it is over
	 */
	boolean keep(HeldLease lease) {
		return lease.queue().withHold(lease, (held) -> {
			long now = this.queues.now();
			if (held == null || lease.times().isOver(now) || !lease.kept()) {
				return false;
			}
			held.keep(lease.times().heldUntilAtLeast(), !lease.isShared(), now);
			return true;
		});
	}

	/**
	 * Prepares to tell the store until when a lease is kept: to extend it if it might end
	 * before, else to shorten it if it might end much later. Each goes to the owner that
	 * has the lease now.
	 * @param lease the lease
	 * @param applied completed with the answer to an extension
	 * @return sends the command; or {@code null} if there is nothing to tell, or not now
	 */
	@Nullable Runnable telling(HeldLease lease, CompletableFuture<Boolean> applied) {
		return lease.queue().withHold(lease, (held) -> {
			long now = this.queues.now();
			if (held == null || !lease.isKept() || lease.times().renewAt() - now > 0) {
				return null;
			}
			if (held.transfer() != null) {
				held.tellNotBefore(LeaseKeeper.retryAt(lease, now));
				return null;
			}
			// The next try without an answer; a failure brings it forward
			held.tellNotBefore(now + this.store.commandTimeout().toNanos());
			if (held.end().isTold()) {
				return null;
			}
			Duration rest = held.end().rest(now);
			if (held.end().isTooEarly()) {
				Extension extension = extension(held, lease, rest, true, applied);
				return () -> this.store.extend(extension);
			}
			held.shorten(Deadline.ofLease(now, rest));
			return shortening(held.owner(), lease, rest);
		});
	}

	private Runnable shortening(String owner, HeldLease lease, Duration rest) {
		return () -> this.store.shorten(lease.key(), owner, rest)
			.whenComplete((shortened, failure) -> lease.queue().withHold(lease, (held) -> {
				long now = this.queues.now();
				if (held != null && failure == null) {
					held.end().shortened(shortened);
					held.tellNotBefore(now);
				}
				else if (held != null) {
					held.tellNotBefore(LeaseKeeper.retryAt(lease, now));
				}
				return true;
			}));
	}

}
