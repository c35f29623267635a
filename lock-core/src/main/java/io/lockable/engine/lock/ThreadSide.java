package io.lockable.engine.lock;

import io.lockable.Internal;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.LogSafe;
import io.lockable.engine.lease.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * What the current thread holds of one key, on one side: all of the lock, or a share of
 * it.
 *
 * <p>
 * A thread that holds a share cannot also have all: it would wait for itself. One that
 * holds all has the share without asking, under the lease that it has; and when it gives
 * back all but keeps the share, the server exchanges one for the other in one step.
 */
@Internal
public final class ThreadSide {

	private final String key;

	private final boolean shared;

	private final ThreadHolds holds;

	private final ThreadHolds others;

	private final Acquirer acquirer;

	private ThreadSide(String key, boolean shared, ThreadHolds holds, ThreadHolds others, Acquirer acquirer) {
		this.key = key;
		this.shared = shared;
		this.holds = holds;
		this.others = others;
		this.acquirer = acquirer;
	}

	/**
	 * Creates the side of all of a lock.
	 * @param key the full name of the lock
	 * @param all which locks threads hold
	 * @param shares of which locks threads hold a share
	 * @param acquirer acquires leases
	 * @return the side
	 */
	public static ThreadSide ofAll(String key, ThreadHolds all, ThreadHolds shares, Acquirer acquirer) {
		return new ThreadSide(key, false, all, shares, acquirer);
	}

	/**
	 * Creates the side of a share.
	 * @param key the full name of the lock
	 * @param all which locks threads hold
	 * @param shares of which locks threads hold a share
	 * @param acquirer acquires leases
	 * @return the side
	 */
	public static ThreadSide ofShare(String key, ThreadHolds all, ThreadHolds shares, Acquirer acquirer) {
		return new ThreadSide(key, true, shares, all, acquirer);
	}

	/**
	 * Holds the lock once more if the thread holds it already.
	 * @param options the options of the lock
	 * @return {@code false} if it has to be acquired: also anew, because it is lost
	 * @throws LockUpgradeException if the thread holds a share and wants all
	 */
	boolean reenter(LockOptions options) {
		this.holds.forgetReleased(this.key);
		this.others.forgetReleased(this.key);
		ReentrantHold own = this.holds.find(this.key);
		if (own != null && own.enterAgain(options)) {
			return true;
		}
		ReentrantHold other = this.others.find(this.key);
		if (other == null) {
			return false;
		}
		if (this.shared && other.prolong(options)) {
			this.holds.addCovered(this.key, other.lease(), options);
			return true;
		}
		if (!this.shared && other.isStillHeld()) {
			throw new LockUpgradeException(
					("Lock '%s' cannot be upgraded: this thread holds its read lock and would wait for "
							+ "itself. Unlock the read lock first")
						.formatted(this.key));
		}
		return false;
	}

	/**
	 * Returns whether the thread holds what keeps a further handle of this side out.
	 * @return whether it would wait for itself
	 */
	boolean waitsForItself() {
		return ThreadHolds.isHeld(this.others.find(this.key)) || (!this.shared && isHeld());
	}

	/**
	 * Notes that the thread holds the lock now.
	 * @param lease the lease acquired
	 * @param options the options with which it was acquired
	 */
	void own(LocalLease lease, LockOptions options) {
		this.holds.add(this.key, lease, options);
	}

	/**
	 * Sends the release ahead if the next {@link #leave} is going to give back all of the
	 * lock: so several releases are on their way together.
	 */
	void sendAhead() {
		ReentrantHold own = this.holds.find(this.key);
		if (own != null && own.count() == 1 && coveredBy(own) == null) {
			own.lease().sendRelease(null);
		}
	}

	/**
	 * Gives back one acquisition.
	 * @throws LockLostException if the lock was no longer ours
	 * @throws io.lockable.LockStoreException if the store failed
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	void leave() {
		ReentrantHold own = find();
		boolean last = own.leave();
		if (last) {
			this.holds.remove(this.key);
		}
		boolean kept;
		ReentrantHold share = (last && !own.isCovered()) ? coveredBy(own) : null;
		if (share != null) {
			kept = exchange(own.lease(), share);
		}
		else {
			kept = (last && !own.isCovered()) ? own.lease().release() : !own.isLost();
		}
		if (!kept) {
			throw new LockLostException(
					"Lock '%s' was lost before its release: work done under it may overlap with another owner's"
						.formatted(this.key));
		}
	}

	private boolean exchange(LocalLease lease, ReentrantHold share) {
		LocalLease successor = this.acquirer.exchange(this.key, lease, share.options());
		if (successor != null) {
			share.goOnWith(successor);
		}
		return successor != null;
	}

	/**
	 * Returns the share that the thread has because it holds all of the lock.
	 */
	private @Nullable ReentrantHold coveredBy(ReentrantHold own) {
		ReentrantHold share = this.shared ? null : this.others.find(this.key);
		return (share != null && share.lease() == own.lease()) ? share : null;
	}

	/**
	 * Returns whether the thread has the share because it holds all of the lock: the
	 * store knows of no share then.
	 * @return whether it does
	 */
	public boolean isCovered() {
		ReentrantHold own = this.holds.find(this.key);
		return own != null && own.isCovered() && own.lease().isHeld();
	}

	private ReentrantHold find() {
		ReentrantHold own = this.holds.find(this.key);
		if (own == null) {
			throw new IllegalMonitorStateException("This thread does not hold %s '%s'"
				.formatted(this.shared ? "the read lock" : "lock", LogSafe.of(this.key)));
		}
		return own;
	}

	/**
	 * Returns the lease by which the thread holds the lock.
	 * @return the lease, which may be lost
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	LocalLease lease() {
		return find().lease();
	}

	/**
	 * Returns how often the thread holds the lock.
	 * @return the number of acquisitions not given back yet
	 */
	int count() {
		return ThreadHolds.count(this.holds.find(this.key));
	}

	/**
	 * Returns whether the thread holds the lock, with a lease that is not lost.
	 * @return whether it does
	 */
	boolean isHeld() {
		return ThreadHolds.isHeld(this.holds.find(this.key));
	}

}
