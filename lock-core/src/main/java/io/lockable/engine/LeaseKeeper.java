package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lockable.LockLost;
import io.lockable.store.Extension;

/**
 * Keeps the leases of an instance alive, and tells when one has ended.
 *
 * <p>
 * A lease is renewed when a third of it has passed. Everything due in the next sixth is
 * renewed with it, in one batch: leases that started at different times soon share their
 * round trips. After an error the renewal is tried again quickly, until the local
 * deadline.
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

	private final long never;

	private volatile long dueAt;

	LeaseKeeper(LockQueues queues) {
		this.queues = queues;
		this.never = Deadline.after(queues.now(), Duration.ofDays(36500));
		this.dueAt = this.never;
	}

	void add(HeldLease lease) {
		this.leases.add(lease);
		long at = nextStep(lease);
		if (at - this.dueAt < 0) {
			this.dueAt = at;
			this.queues.watch().wakeAt(at);
		}
	}

	void remove(HeldLease lease) {
		this.leases.remove(lease);
	}

	Set<HeldLease> leases() {
		return this.leases;
	}

	@Override
	public long dueAt() {
		return this.dueAt;
	}

	@Override
	public void due(long now) {
		// A lease added from here on sets the time itself, or is seen by the loop.
		this.dueAt = this.never;
		List<HeldLease> renewable = new ArrayList<>();
		boolean due = false;
		long next = this.never;
		for (HeldLease lease : this.leases) {
			if (lease.isOver(now)) {
				this.queues.dispatch(() -> lease.queue().lose(lease, lease.reasonOfEnd()));
				continue;
			}
			long renewAt = lease.renewAt();
			if (renewAt - lease.deadline() < 0 && renewAt - now <= lease.options().lease().toNanos() / 6) {
				renewable.add(lease);
				due |= renewAt - now <= 0;
			}
			next = earlier(next, nextStep(lease));
		}
		if (due) {
			next = this.never;
			renew(renewable, now);
			for (HeldLease lease : this.leases) {
				next = earlier(next, nextStep(lease));
			}
		}
		wakeAt(next);
	}

	private void renew(List<HeldLease> renewable, long now) {
		List<Extension> extensions = new ArrayList<>(renewable.size());
		for (HeldLease lease : renewable) {
			lease.renewNotBefore(now + Math.min(RETRY, lease.options().lease().toNanos() / 6));
			Extension extension = lease.queue().extension(lease, lease.nextLease(now));
			if (extension != null) {
				extensions.add(extension);
			}
		}
		if (!extensions.isEmpty()) {
			this.queues.dispatch(() -> this.queues.extendAll(extensions));
		}
	}

	private void wakeAt(long at) {
		if (at - this.dueAt < 0) {
			this.dueAt = at;
		}
	}

	private static long nextStep(HeldLease lease) {
		return earlier(lease.renewAt(), lease.deadline());
	}

	private static long earlier(long left, long right) {
		return (left - right < 0) ? left : right;
	}

	/**
	 * Ends all leases, because the instance shuts down.
	 */
	void giveBackAll() {
		for (HeldLease lease : this.leases) {
			lease.queue().lose(lease, LockLost.Reason.SHUTDOWN);
		}
	}

}
