package io.lockable.engine.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.engine.shell.LocalLease;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one key with one set of options: the exclusive lock, or a share of it.
 * Stateless.
 *
 * <p>
 * A thread with a share cannot also acquire the exclusive lock, because it would wait for
 * itself. A thread with the exclusive lock has the share without a command, under its
 * lease. When it releases the exclusive lock but keeps the share, the server exchanges
 * them in one step.
 */
final class KeyLock extends ThreadLock {

	private final String key;

	private final Acquirer acquirer;

	private final boolean shared;

	private final ThreadHolds holds;

	private final ThreadHolds others;

	/**
	 * Creates a lock.
	 * @param key the full name of the lock
	 * @param options the options
	 * @param acquirer acquires leases of this side of the key
	 * @param holds the holds of threads on this side
	 * @param others the holds of threads on the other side
	 */
	KeyLock(String key, LockOptions options, Acquirer acquirer, ThreadHolds holds, ThreadHolds others) {
		super(options);
		this.key = key;
		this.acquirer = acquirer;
		this.shared = acquirer.mode().isShared();
		this.holds = holds;
		this.others = others;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	<X extends Exception> @Nullable LocalLease take(LockOptions options, InterruptPolicy<X> interrupts) throws X {
		return this.acquirer.acquire(this.key, options, interrupts);
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return takeAsync(this.acquirer.tokens().requestId(), options());
	}

	CompletableFuture<Lease> takeAsync(String requestId, LockOptions options) {
		return this.acquirer.acquireAsync(this.key, requestId, options);
	}

	@Override
	<X extends Exception> boolean enter(LockOptions options, InterruptPolicy<X> interrupts) throws X {
		interrupts.check();
		if (reenter()) {
			return true;
		}
		LocalLease lease = this.acquirer.acquire(this.key, options, interrupts);
		if (lease != null) {
			own(lease);
		}
		return lease != null;
	}

	/**
	 * Re-enters the lock if the current thread holds it.
	 * @return {@code false} if it must be acquired, also if it is lost
	 * @throws LockUpgradeException if the thread holds a share and requests the exclusive
	 * lock
	 */
	boolean reenter() {
		this.holds.forgetReleased(this.key);
		this.others.forgetReleased(this.key);
		ReentrantHold own = this.holds.find(this.key);
		if (own != null && own.enterAgain(options())) {
			return true;
		}
		ReentrantHold other = this.others.find(this.key);
		if (other == null) {
			return false;
		}
		if (this.shared && other.prolong(options())) {
			this.holds.add(this.key, new ReentrantHold(other.lease(), options(), true));
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
	 * Records the current thread as the holder.
	 * @param lease the acquired lease
	 */
	void own(LocalLease lease) {
		this.holds.add(this.key, new ReentrantHold(lease, options(), false));
	}

	@Override
	boolean waitsForItself() {
		return this.others.isHeld(this.key) || (!this.shared && isHeldByCurrentThread());
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

	@Override
	void leave() {
		ReentrantHold own = own();
		boolean last = own.leave();
		if (last) {
			this.holds.remove(this.key);
		}
		boolean kept;
		ReentrantHold share = last ? coveredBy(own) : null;
		if (share != null) {
			LocalLease successor = this.acquirer.exchange(this.key, own.lease(), share.options());
			kept = successor != null;
			if (successor != null) {
				share.continueWith(successor);
			}
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

	/**
	 * Returns the share that the thread has through its exclusive lock.
	 */
	private @Nullable ReentrantHold coveredBy(ReentrantHold own) {
		ReentrantHold share = this.shared ? null : this.others.find(this.key);
		return (share != null && share.lease() == own.lease()) ? share : null;
	}

	@Override
	public boolean isLocked() {
		ReentrantHold own = this.holds.find(this.key);
		boolean covered = own != null && own.isCovered() && own.lease().isHeld();
		if (this.shared && !covered) {
			return this.acquirer.store().isShared(this.key);
		}
		return !this.acquirer.shells().isRetained(this.key) && this.acquirer.store().isLocked(this.key);
	}

	@Override
	public Optional<String> knownHolder() {
		return Optional.ofNullable(this.acquirer.shells().knownHolder(this.key));
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.holds.isHeld(this.key);
	}

	@Override
	public LocalLease lease() {
		return own().lease();
	}

	@Override
	public int holdCount() {
		ReentrantHold own = this.holds.find(this.key);
		return (own != null) ? own.count() : 0;
	}

	private ReentrantHold own() {
		ReentrantHold own = this.holds.find(this.key);
		if (own == null) {
			throw new IllegalMonitorStateException("This thread does not hold %s '%s'"
				.formatted(this.shared ? "the read lock" : "lock", LogSafe.of(this.key)));
		}
		return own;
	}

}
