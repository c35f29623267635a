package io.lockable.engine;

import io.lockable.LockOptions;
import io.lockable.engine.ThreadHolds.ThreadHold;

/**
 * What the current thread holds of a share of a lock. A thread that holds all of it has
 * the share without asking, under the lease that it has.
 */
final class SharedSide implements ThreadSide {

	private final String key;

	private final ThreadHolds shares;

	private final ThreadHolds all;

	/**
	 * Creates the side.
	 * @param key the full name of the lock
	 * @param shares of which locks threads hold a share
	 * @param all which locks threads hold
	 */
	SharedSide(String key, ThreadHolds shares, ThreadHolds all) {
		this.key = key;
		this.shares = shares;
		this.all = all;
	}

	@Override
	public boolean reenter(LockOptions options) {
		this.all.forgetReleased(this.key);
		this.shares.forgetReleased(this.key);
		ThreadHold own = this.shares.find(this.key);
		if (own != null && own.enterAgain(options)) {
			return true;
		}
		ThreadHold whole = this.all.find(this.key);
		if (whole == null || !whole.prolong(options)) {
			return false;
		}
		this.shares.addCovered(this.key, whole.lease(), options);
		return true;
	}

	@Override
	public void own(HeldLease lease, LockOptions options) {
		this.shares.add(this.key, lease, options);
	}

	@Override
	public void sendAhead() {
		// Several keys are always locked as a whole
	}

	@Override
	public void leave() {
		ThreadHold own = own();
		boolean last = own.leave();
		if (last) {
			this.shares.remove(this.key);
		}
		boolean kept = (last && !own.isCovered()) ? own.lease().release() : !own.isLost();
		if (!kept) {
			throw ExclusiveSide.lost(this.key);
		}
	}

	/**
	 * Returns whether the thread has the share because it holds all of the lock: the
	 * store knows of no share then.
	 * @return whether it does
	 */
	boolean isCovered() {
		ThreadHold own = this.shares.find(this.key);
		return own != null && own.isCovered() && own.lease().isHeld();
	}

	private ThreadHold own() {
		ThreadHold own = this.shares.find(this.key);
		if (own == null) {
			throw new IllegalMonitorStateException("This thread does not hold the read lock '%s'".formatted(this.key));
		}
		return own;
	}

	@Override
	public HeldLease lease() {
		return own().lease();
	}

	@Override
	public int count() {
		return ThreadHolds.count(this.shares.find(this.key));
	}

	@Override
	public boolean isHeld() {
		return ThreadHolds.isHeld(this.shares.find(this.key));
	}

}
