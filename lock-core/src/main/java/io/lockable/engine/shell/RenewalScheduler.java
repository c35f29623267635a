package io.lockable.engine.shell;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.Timer;

/**
 * Renews the leases of an instance, and ends those whose local deadline has passed.
 *
 * <p>
 * A lease is renewed when a third of it has passed. Everything due in the next sixth is
 * renewed with it, in one batch: leases that started at different times soon share their
 * round trips. After an error the renewal is tried again quickly, until the local
 * deadline. A lease that a grant has set shorter than requested is renewed after a third
 * of the grant, or extended immediately without renewal. A lease whose owning thread has
 * ended is released instead of renewed.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>A release and a renewal cannot race. The answer to a renewal counts only while the
 * lease is current and the server has the renewed owner token. The key decides that in
 * one step.</li>
 * <li>Each extension names the owner token of its decision, so it never extends the lock
 * of a successor.</li>
 * <li>No extension is sent while a transfer is in flight, because the transfer sets the
 * lease.</li>
 * </ol>
 */
final class RenewalScheduler extends Timer.Task {

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int MANY = 1024;

	private final EngineParts parts;

	// Large, because a thread that is preempted while it changes a bin blocks that bin
	private final Map<String, LocalLease> leases = new ConcurrentHashMap<>(MANY);

	RenewalScheduler(EngineParts parts) {
		super(1);
		this.parts = parts;
	}

	void add(LocalLease lease) {
		this.leases.put(lease.owner(), lease);
		this.parts.timer().wakeAt(lease.times().nextStep());
	}

	void remove(LocalLease lease) {
		this.leases.remove(lease.owner(), lease);
	}

	Collection<LocalLease> leases() {
		return this.leases.values();
	}

	@Override
	public long dueAt() {
		long earliest = this.parts.timer().never();
		for (LocalLease lease : this.leases.values()) {
			earliest = Deadline.earlier(earliest, lease.times().nextStep());
		}
		return earliest;
	}

	@Override
	public void due(long now) {
		List<LocalLease> renewable = new ArrayList<>();
		boolean due = false;
		for (LocalLease lease : this.leases.values()) {
			if (lease.times().isOver(now)) {
				this.parts.store().dispatch(lease::expire);
			}
			else if (lease.times().isRenewableSoon(now) && !lease.releaseIfThreadEnded()) {
				renewable.add(lease);
				due |= lease.times().renewAt() - now <= 0;
			}
		}
		if (due) {
			renew(renewable, now);
		}
	}

	private void renew(List<LocalLease> renewable, long now) {
		List<ExtendCommand> extensions = new ArrayList<>(renewable.size());
		try {
			renewable.forEach((lease) -> prepare(lease, now, extensions));
			if (!extensions.isEmpty()) {
				this.parts.store().dispatchRenewal(() -> this.parts.store().extendAll(extensions));
			}
		}
		catch (RuntimeException | Error ex) {
			// Otherwise these leases would never be renewed again.
			extensions.forEach((extending) -> extending.answer().completeExceptionally(ex));
			throw ex;
		}
	}

	private void prepare(LocalLease lease, long now, List<ExtendCommand> extensions) {
		ExtendCommand extending = lease.extending(lease.times().nextLease(now));
		if (extending == null) {
			retry(lease);
			return;
		}
		extensions.add(extending);
		long plannedAt = lease.times().renewAt();
		// The answer or the failure sets the next time.
		lease.times().renewing(true);
		lease.times().renewNotBefore(now + this.parts.store().commandTimeout().toNanos());
		extending.applied().whenComplete((extended, failure) -> {
			lease.times().renewing(false);
			if (failure != null) {
				lease.renewalFailed(StoreAccess.cause(failure));
				retry(lease);
			}
			else if (extended && !lease.times().extended() && !lease.isLost()) {
				lease.renewed(now - plannedAt);
			}
		});
	}

	private void retry(LocalLease lease) {
		lease.times().renewNotBefore(this.parts.now() + Math.min(RETRY, lease.options().lease().toNanos() / 6));
	}

}
