package io.lockable.spring.call;

import java.util.List;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockLostException;
import io.lockable.annotation.OnLost;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An acquired lock of a call.
 *
 * @param request the request that it fulfills
 * @param lock the lock, if the current thread is its holder; {@code null} if the lease is
 * a handle
 * @param lease the lease, which shows whether the lock is held
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
	 * Fails if a lock with {@code OnLost.FAIL} is lost.
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
	 * Finds a lost lock with {@code OnLost.FAIL}.
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
	 * Releases all locks, in reverse order. A failed release never replaces the result of
	 * the body. A loss may fail the call, if the annotation requires it.
	 * @param held the locks
	 * @param bodyFailure the exception of the body, or {@code null}
	 * @return the loss that must fail the call, or {@code null}
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
