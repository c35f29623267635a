package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Extension;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the leases of an instance alive, and tells when one has ended.
 *
 * <p>
 * A lease is renewed when a third of it has passed. Everything due in the next sixth is
 * renewed with it, in one batch: leases that started at different times soon share their
 * round trips. After an error the renewal is tried again quickly, until the local
 * deadline. A lease that a grant has set shorter than its holder asked for is extended at
 * once in the same way, also without renewal.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>A release and a renewal cannot race: what a renewal's answer says counts only while
 * the lease is current and the server's owner token is the one that was renewed, which
 * {@link LockQueue} decides under its mutex.</li>
 * <li>Each extension names the owner token of the moment in which it was decided: if a
 * successor has the hold when it is sent, it does not hit that one.</li>
 * <li>Nothing is sent while a transfer is on its way, which sets the lease anyway.</li>
 * </ol>
 */
final class LeaseKeeper implements Watched {

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockQueues queues;

	private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

	private final DueTime dueAt;

	LeaseKeeper(LockQueues queues) {
		this.queues = queues;
		this.dueAt = new DueTime(queues.now(), queues.watch());
	}

	void add(HeldLease lease) {
		this.leases.add(lease);
		this.dueAt.notAfter(lease.nextStep());
	}

	/**
	 * Looks again at when a lease must be renewed or ends.
	 * @param lease the lease, whose deadline has moved
	 */
	void moved(HeldLease lease) {
		this.dueAt.notAfter(lease.nextStep());
	}

	void remove(HeldLease lease) {
		this.leases.remove(lease);
	}

	Set<HeldLease> leases() {
		return this.leases;
	}

	@Override
	public long dueAt() {
		return this.dueAt.get();
	}

	@Override
	public void due(long now) {
		// A lease added from here on sets the time itself, or is seen by the loop.
		this.dueAt.clear();
		List<HeldLease> renewable = new ArrayList<>();
		boolean due = false;
		for (HeldLease lease : this.leases) {
			if (lease.times().isOver(now)) {
				this.queues.store().dispatch(() -> lease.queue().expire(lease));
			}
			else if (lease.isRenewable() && !lease.isRenewing()
					&& lease.times().renewAt() - now <= lease.times().terms().lease().toNanos() / 6) {
				renewable.add(lease);
				due |= lease.times().renewAt() - now <= 0;
			}
		}
		if (due) {
			renew(renewable, now);
		}
		for (HeldLease lease : this.leases) {
			if (lease.nextStep() - now > 0) {
				this.dueAt.notAfter(lease.nextStep());
			}
		}
	}

	private void renew(List<HeldLease> renewable, long now) {
		List<Extension> extensions = new ArrayList<>(renewable.size());
		for (HeldLease lease : renewable) {
			long plannedAt = lease.times().renewAt();
			// The answer or the failure sets the next time; without either, nothing is
			// sent.
			lease.renewing(true);
			lease.renewNotBefore(now + this.queues.store().commandTimeout().toNanos());
			CompletableFuture<Boolean> applied = new CompletableFuture<>();
			Extension extension = extension(lease, lease.times().nextLease(now), applied);
			if (extension != null) {
				extensions.add(extension);
				CompletionStage<Boolean> renewed = applied;
				renewed.whenComplete((extended, failure) -> {
					lease.renewing(false);
					if (failure != null) {
						lease.renewalFailed(failure);
						retry(lease);
					}
					else if (extended && !lease.times().extended()) {
						lease.renewed(now - plannedAt);
					}
				});
			}
			else {
				lease.renewing(false);
				retry(lease);
			}
		}
		if (!extensions.isEmpty()) {
			this.queues.store().dispatchRenewal(() -> this.queues.store().extendAll(extensions));
		}
	}

	private void retry(HeldLease lease) {
		lease.renewNotBefore(this.queues.now() + Math.min(RETRY, lease.options().lease().toNanos() / 6));
	}

	/**
	 * Asks the store whether the leases of a lock are still held. The question is an
	 * extension to what is left anyway.
	 * @param key the full name of the lock
	 */
	void verify(String key) {
		for (HeldLease lease : this.leases) {
			Extension question = lease.key().equals(key) ? question(lease) : null;
			if (question != null) {
				this.queues.store().dispatchRenewal(() -> this.queues.store().extend(question));
			}
		}
	}

	/**
	 * Ends all leases, because the instance shuts down.
	 */
	void giveBackAll() {
		this.leases.forEach((lease) -> lease.queue().shutDown(lease));
	}

	// Extensions

	/**
	 * Prepares to extend a lease.
	 * @param lease the lease to extend
	 * @param wanted how long from now
	 * @param applied completed with the answer after it has taken effect here
	 * @return what to send, or {@code null} if the lease is over, or a transfer on its
	 * way sets it anyway
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
