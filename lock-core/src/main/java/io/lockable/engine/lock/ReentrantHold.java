package io.lockable.engine.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.shell.LeaseTimes;
import io.lockable.engine.shell.LeaseTimes.RenewalTerms;
import io.lockable.engine.shell.LocalLease;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock that the current thread holds, or has lost and not unlocked yet.
 */
final class ReentrantHold {

	private static final Logger log = LoggerFactory.getLogger(ReentrantHold.class);

	private final LockOptions options;

	private LocalLease lease;

	// Whether the lease is that of the exclusive lock, which has its own count.
	private boolean covered;

	private int count = 1;

	// The nested calls with renewal.
	private final Deque<Nested> nested = new ArrayDeque<>(0);

	private @Nullable ReentrantHold lost;

	private boolean passedOver;

	/**
	 * Creates a hold with one acquisition.
	 * @param lease the lease
	 * @param options the options of the acquisition
	 * @param covered whether it is a share under the lease of the exclusive lock
	 */
	ReentrantHold(LocalLease lease, LockOptions options, boolean covered) {
		this.lease = lease;
		this.options = options;
		this.covered = covered;
		lease.ownedByThread();
		if (covered) {
			enter(options);
		}
	}

	private void enter(LockOptions call) {
		if (call.renewal() == Renewal.ON) {
			RenewalTerms terms = RenewalTerms.of(call, this.lease.now());
			this.lease.times().enter(terms);
			this.nested.push(new Nested(this.count, terms));
		}
	}

	LocalLease lease() {
		return this.lease;
	}

	/**
	 * Returns the options with which the thread first acquired it.
	 * @return the options
	 */
	LockOptions options() {
		return this.options;
	}

	boolean isCovered() {
		return this.covered;
	}

	int count() {
		return this.count;
	}

	/**
	 * Puts this hold on top of a lost one. A lost hold beneath that one is merged into
	 * it, because the thread still has to unlock both.
	 * @param lostHold the lost one
	 */
	void putOn(ReentrantHold lostHold) {
		if (lostHold.lost != null) {
			lostHold.count += lostHold.lost.count;
			lostHold.lost = null;
		}
		if (!lostHold.passedOver) {
			lostHold.passedOver = true;
			log.warn(
					"This thread acquired lock '{}' again before it unlocked its lost lease: {}. Work "
							+ "done under the earlier lease may overlap with another owner's",
					LogSafe.of(this.lease.key()), lostHold.lease.reasonOfLoss());
		}
		this.lost = lostHold;
	}

	/**
	 * Returns the lost hold beneath this one.
	 * @return the hold, or {@code null}
	 */
	@Nullable ReentrantHold lost() {
		return this.lost;
	}

	/**
	 * Re-enters the lock, for at least the lease of the nested call.
	 * @param call the options of the nested call
	 * @return {@code false} if the lease is lost
	 * @throws io.lockable.LockStoreException if the extension of the lease failed with
	 * the store; the hold is unchanged
	 */
	boolean enterAgain(LockOptions call) {
		if (!prolong(call)) {
			return false;
		}
		this.count = Math.incrementExact(this.count);
		enter(call);
		show();
		return true;
	}

	/**
	 * Extends the lease for a nested call, by one command if necessary. Without renewal,
	 * at least nine tenths of the nested lease must be left. With renewal, half of it
	 * must be left, which a renewed lease exceeds, except in the first second after a
	 * hand-off.
	 * @param call the options of the nested call
	 * @return {@code false} if the lease is lost
	 * @throws io.lockable.LockStoreException if the extension of the lease failed with
	 * the store; the hold is unchanged
	 */
	boolean prolong(LockOptions call) {
		if (!isStillHeld()) {
			return false;
		}
		LeaseTimes times = this.lease.times();
		long now = this.lease.now();
		RenewalTerms wanted = times.terms().with(RenewalTerms.of(call, now));
		Duration whole = call.lease();
		boolean renewed = wanted.lastFor(whole, now) && (times.isRenewable() || call.renewal() == Renewal.ON);
		Duration needed = renewed ? whole.dividedBy(2) : whole.minus(whole.dividedBy(10));
		if (this.lease.remaining().compareTo(needed) < 0 && !this.lease.extend(whole)) {
			return false;
		}
		times.holdAtLeastUntil(Deadline.later(times.heldUntilAtLeast(), Deadline.after(now, call.minHold())));
		return isStillHeld();
	}

	/**
	 * Returns whether the lease is held. A lease that has reached its local deadline is
	 * lost from now on, even if a late renewal succeeds.
	 * @return whether the thread may re-enter
	 */
	boolean isStillHeld() {
		if (!this.lease.isHeld()) {
			this.lease.expire();
		}
		return this.lease.isHeld();
	}

	/**
	 * Continues with another lease, which has replaced the previous one.
	 * @param successor the new lease
	 */
	void continueWith(LocalLease successor) {
		this.lease = successor;
		this.covered = false;
		successor.ownedByThread();
		this.nested.removeIf((each) -> each.count() == 1);
		this.nested.forEach((each) -> successor.times().enter(each.terms()));
		show();
	}

	/**
	 * Releases one acquisition.
	 * @return whether it was the last one
	 */
	boolean leave() {
		Nested latest = this.nested.peek();
		if (latest != null && latest.count() == this.count) {
			this.nested.pop();
			this.lease.times().leave(latest.terms());
		}
		this.count--;
		show();
		return this.count == 0;
	}

	/**
	 * Returns whether the lease ended before it was released.
	 * @return whether it is lost
	 */
	boolean isLost() {
		return this.lease.isLost() || !(this.lease.isReleased() || isStillHeld());
	}

	// After a failed exchange of its lock, a share is lost and not released.
	boolean isReleased() {
		return this.lease.isReleased() && !(this.covered && this.lease.isLost());
	}

	private void show() {
		if (!this.covered) {
			this.lease.entered(Math.max(1, this.count));
		}
	}

	/**
	 * A nested call with renewal.
	 *
	 * @param count the count at its entry
	 * @param terms its terms
	 */
	private record Nested(int count, RenewalTerms terms) {

	}

}
