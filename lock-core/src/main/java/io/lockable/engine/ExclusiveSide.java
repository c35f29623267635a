package io.lockable.engine;

import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.engine.ThreadHolds.ThreadHold;
import org.jspecify.annotations.Nullable;

/**
 * What the current thread holds of all of a lock.
 *
 * <p>
 * A thread that holds a share cannot also have all: it would wait for itself. One that
 * holds all has every share as well ({@link SharedSide}), and when it gives back all but
 * keeps a share, the server exchanges one for the other in one step.
 */
final class ExclusiveSide implements ThreadSide {

	private final String key;

	private final ThreadHolds all;

	private final ThreadHolds shares;

	private final Acquirer acquirer;

	/**
	 * Creates the side.
	 * @param key the full name of the lock
	 * @param all which locks threads hold
	 * @param shares of which locks threads hold a share
	 * @param acquirer acquires leases
	 */
	ExclusiveSide(String key, ThreadHolds all, ThreadHolds shares, Acquirer acquirer) {
		this.key = key;
		this.all = all;
		this.shares = shares;
		this.acquirer = acquirer;
	}

	@Override
	public boolean reenter(LockOptions options) {
		this.all.forgetReleased(this.key);
		this.shares.forgetReleased(this.key);
		ThreadHold own = this.all.find(this.key);
		if (own != null && own.enterAgain(options)) {
			return true;
		}
		ThreadHold share = this.shares.find(this.key);
		if (share != null && share.isStillHeld()) {
			throw new LockUpgradeException(
					("Lock '%s' cannot be upgraded: this thread holds its read lock and would wait for "
							+ "itself. Unlock the read lock first")
						.formatted(this.key));
		}
		return false;
	}

	@Override
	public void own(HeldLease lease, LockOptions options) {
		this.all.add(this.key, lease, options);
	}

	@Override
	public void sendAhead() {
		ThreadHold own = this.all.find(this.key);
		if (own != null && own.count() == 1 && shareOf(own.lease()) == null) {
			own.lease().sendRelease(null);
		}
	}

	@Override
	public void leave() {
		ThreadHold own = own();
		if (!own.leave()) {
			if (own.isLost()) {
				throw lost(this.key);
			}
			return;
		}
		this.all.remove(this.key);
		HeldLease lease = own.lease();
		ThreadHold share = shareOf(lease);
		if (!((share != null) ? downgrade(lease, share) : lease.release())) {
			throw lost(this.key);
		}
	}

	private @Nullable ThreadHold shareOf(HeldLease lease) {
		ThreadHold share = this.shares.find(this.key);
		return (share != null && share.lease() == lease) ? share : null;
	}

	private boolean downgrade(HeldLease lease, ThreadHold share) {
		HeldLease successor = lease.giveTo(() -> this.acquirer.downgrade(this.key, lease, share.options()));
		if (successor != null) {
			share.goOnWith(successor);
		}
		return successor != null;
	}

	private ThreadHold own() {
		ThreadHold own = this.all.find(this.key);
		if (own == null) {
			throw new IllegalMonitorStateException("This thread does not hold lock '%s'".formatted(this.key));
		}
		return own;
	}

	@Override
	public HeldLease lease() {
		return own().lease();
	}

	@Override
	public int count() {
		return ThreadHolds.count(this.all.find(this.key));
	}

	@Override
	public boolean isHeld() {
		return ThreadHolds.isHeld(this.all.find(this.key));
	}

	static LockLostException lost(String key) {
		return new LockLostException(
				"Lock '%s' was lost before its release: work done under it may overlap with another owner's"
					.formatted(key));
	}

}
