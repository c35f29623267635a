package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Extension;

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
 * <p>
 * A release and a renewal cannot race: what a renewal's answer says counts only while the
 * lease is current and the server's owner token is the one that was renewed, which
 * {@link LockQueue} decides under its mutex.
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
			Extension extension = this.queues.terms().extension(lease, lease.times().nextLease(now), applied);
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
			Extension question = lease.key().equals(key) ? this.queues.terms().question(lease) : null;
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

}
