package io.lockable.engine.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import io.lockable.LockOptions;
import io.lockable.LogSafe;
import io.lockable.Renewal;
import io.lockable.engine.lease.LeaseTimes;
import io.lockable.engine.lease.LocalLease;
import io.lockable.engine.lease.RenewalTerms;
import io.lockable.engine.time.Deadline;
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

	// Whether the lease is that of all of the lock, which has a count of its own.
	private boolean covered;

	private int count = 1;

	// The nested calls that want renewal.
	private final Deque<Nested> nested = new ArrayDeque<>(0);

	private @Nullable ReentrantHold lost;

	private boolean passedOver;

	ReentrantHold(LocalLease lease, LockOptions options, boolean covered) {
		this.lease = lease;
		this.options = options;
		this.covered = covered;
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
	 * Puts this hold on top of a lost one. A lost one beneath that is merged into it: the
	 * thread still has to unlock both.
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
	 * Holds the lock once more, for at least as long as the nested call asks for.
	 * @param call the options of the nested call
	 * @return {@code false} if the lease is lost
	 * @throws io.lockable.LockStoreException if the lease had to be prolonged and the
	 * store failed; nothing has changed then
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
	 * Lets the lease live for as long as a nested call asks for: without renewal for its
	 * lease, of which a tenth may have passed; with renewal for half of it, as any lease
	 * that is renewed has more than that. One command does that, if it is not so already.
	 * @param call the options of the nested call
	 * @return {@code false} if the lease is lost
	 * @throws io.lockable.LockStoreException if the lease had to be prolonged and the
	 * store failed; nothing has changed then
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
	 * Returns whether the lease is held. One that has reached its local deadline is lost
	 * from now on: a late answer to its renewal does not bring it back.
	 * @return whether the thread may enter again
	 */
	boolean isStillHeld() {
		if (!this.lease.isHeld()) {
			this.lease.expire();
		}
		return this.lease.isHeld();
	}

	/**
	 * Goes on with another lease, which has taken the place of the one before.
	 * @param successor the new lease
	 */
	void goOnWith(LocalLease successor) {
		this.lease = successor;
		this.covered = false;
		this.nested.removeIf((each) -> each.count() == 1);
		this.nested.forEach((each) -> successor.times().enter(each.terms()));
		show();
	}

	/**
	 * Gives back one acquisition.
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

	// A share whose lock was to be exchanged for it, in vain, is lost and not
	// released
	boolean isReleased() {
		return this.lease.isReleased() && !(this.covered && this.lease.isLost());
	}

	private void show() {
		if (!this.covered) {
			this.lease.entered(Math.max(1, this.count));
		}
	}

	/**
	 * A nested call that wants renewal.
	 *
	 * @param count the count at which it entered
	 * @param terms its terms
	 */
	private record Nested(int count, RenewalTerms terms) {

	}

}
