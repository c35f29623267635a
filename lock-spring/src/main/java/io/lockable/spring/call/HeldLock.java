package io.lockable.spring.call;

import java.util.List;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockLostException;
import io.lockable.LogSafe;
import io.lockable.OnLost;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock of a call that was acquired.
 *
 * @param request what the annotation says of it
 * @param lock the lock, if the current thread is its holder; {@code null} if the lease is
 * @param lease the lease, by which to see how it lives
 */
record HeldLock(LockRequest request, @Nullable DistributedLock lock, Lease lease) {

	private static final Logger logger = LoggerFactory.getLogger(HeldLock.class);

	boolean failsWhenLost() {
		return this.request.annotation().onLost() == OnLost.FAIL;
	}

	boolean interruptsWhenLost() {
		return this.request.annotation().onLost() == OnLost.INTERRUPT;
	}

	LockLostException lost() {
		return new LockLostException(
				"Lock '%s' was lost while %s ran: its work may overlap with another owner's, so the call fails"
					.formatted(this.request.key(), this.request.options().name()));
	}

	static LockContext context(List<HeldLock> held) {
		return LockContext.of(held.stream().map(HeldLock::lease).toArray(Lease[]::new));
	}

	/**
	 * Fails if a lock is lost whose loss must not go unnoticed.
	 * @param held the locks
	 * @throws LockLostException if one is lost
	 */
	static void check(List<HeldLock> held) {
		LockLostException lost = findLost(held);
		if (lost != null) {
			throw lost;
		}
	}

	/**
	 * Looks for a lock that is lost and whose loss must not go unnoticed.
	 * @param held the locks
	 * @return the loss, or {@code null}
	 */
	static @Nullable LockLostException findLost(List<HeldLock> held) {
		for (HeldLock each : held) {
			if (each.failsWhenLost() && !each.lease().isHeld()) {
				return each.lost();
			}
		}
		return null;
	}

	/**
	 * Releases all locks, in reverse order. What becomes of them never replaces what
	 * became of the body; but the annotation may want to know of a loss.
	 * @param held the locks
	 * @param bodyFailure what the body threw, or {@code null}
	 * @return the loss of a lock with which the call must fail, or {@code null}
	 */
	static @Nullable LockLostException release(List<HeldLock> held, @Nullable Throwable bodyFailure) {
		LockLostException lost = null;
		for (int i = held.size() - 1; i >= 0; i--) {
			HeldLock each = held.get(i);
			if (!each.release(bodyFailure) && each.failsWhenLost()) {
				lost = each.lost();
			}
		}
		return lost;
	}

	private boolean release(@Nullable Throwable bodyFailure) {
		try {
			if (this.lock == null) {
				return this.lease.release();
			}
			boolean held = this.lease.isHeld();
			this.lock.unlock();
			return held;
		}
		catch (RuntimeException ex) {
			if (bodyFailure != null) {
				bodyFailure.addSuppressed(ex);
			}
			if (ex instanceof LockLostException) {
				logger.debug("Lock '{}' was lost while the method ran", LogSafe.of(this.request.key()), ex);
				return false;
			}
			logger.warn("Failed to release lock '{}': it expires with its lease", LogSafe.of(this.request.key()), ex);
			return true;
		}
	}

}
