package io.lockable.engine.lock;

import io.lockable.Internal;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.LogSafe;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * The holds of the current thread on one side of a key: the exclusive lock, or a share of
 * it.
 *
 * <p>
 * A thread with a share cannot also acquire the exclusive lock, because it would wait for
 * itself. A thread with the exclusive lock has the share without a command, under its
 * lease. When it releases the exclusive lock but keeps the share, the server exchanges
 * them in one step.
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
	 * Creates the side of the exclusive lock.
	 * @param key the full name of the lock
	 * @param all the exclusive holds of threads
	 * @param shares the shared holds of threads
	 * @param acquirer acquires leases
	 * @return the side
	 */
	public static ThreadSide ofAll(String key, ThreadHolds all, ThreadHolds shares, Acquirer acquirer) {
		return new ThreadSide(key, false, all, shares, acquirer);
	}

	/**
	 * Creates the side of a share.
	 * @param key the full name of the lock
	 * @param all the exclusive holds of threads
	 * @param shares the shared holds of threads
	 * @param acquirer acquires leases
	 * @return the side
	 */
	public static ThreadSide ofShare(String key, ThreadHolds all, ThreadHolds shares, Acquirer acquirer) {
		return new ThreadSide(key, true, shares, all, acquirer);
	}

	/**
	 * Re-enters the lock if the thread already holds it.
	 * @param options the options of the lock
	 * @return {@code false} if it must be acquired, also if it is lost
	 * @throws LockUpgradeException if the thread holds a share and requests the exclusive
	 * lock
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
	 * Returns whether a hold of the thread excludes a further handle of this side.
	 * @return whether it would wait for itself
	 */
	boolean waitsForItself() {
		return ThreadHolds.isHeld(this.others.find(this.key)) || (!this.shared && isHeld());
	}

	/**
	 * Records the thread as the holder of the lock.
	 * @param lease the acquired lease
	 * @param options the options with which it was acquired
	 */
	void own(LocalLease lease, LockOptions options) {
		this.holds.add(this.key, lease, options);
	}

	/**
	 * Sends the release ahead if the next {@link #leave} releases the whole lock. Several
	 * releases are then in flight together.
	 */
	void sendAhead() {
		ReentrantHold own = this.holds.find(this.key);
		if (own != null && own.count() == 1 && coveredBy(own) == null) {
			own.lease().sendRelease(null);
		}
	}

	/**
	 * Releases one acquisition.
	 * @throws LockLostException if the lock was no longer held
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
			share.continueWith(successor);
		}
		return successor != null;
	}

	/**
	 * Returns the share that the thread has through its exclusive lock.
	 */
	private @Nullable ReentrantHold coveredBy(ReentrantHold own) {
		ReentrantHold share = this.shared ? null : this.others.find(this.key);
		return (share != null && share.lease() == own.lease()) ? share : null;
	}

	/**
	 * Returns whether the thread has the share through its exclusive lock. The store then
	 * has no share.
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
	 * @return the number of acquisitions that are not released yet
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
