package io.lockable.spring.call;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.Lease;
import io.lockable.LockLostException;
import io.lockable.annotation.LockType;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of work that no thread owns. Each lock has a use count: it is released when
 * the last user leaves. Users are the work itself, nested work that entered the same
 * lock, and the enclosing transaction.
 *
 * <p>
 * Invariant: a count of zero never grows again, so a lock is released once and no user
 * enters it afterwards.
 *
 * @param locks the locks, in the order of their acquisition
 */
record SharedLocks(List<SharedLock> locks) {

	SharedLocks {
		locks = List.copyOf(locks);
	}

	static SharedLocks of(List<HeldLock> held) {
		return new SharedLocks(held.stream().map(SharedLock::new).toList());
	}

	List<HeldLock> held() {
		return this.locks.stream().map(SharedLock::held).toList();
	}

	boolean failsWhenLost() {
		return this.locks.stream().anyMatch((lock) -> lock.held.failsWhenLost());
	}

	/**
	 * Adds a user of locks that are certainly still shared.
	 */
	void retain() {
		this.locks.forEach(SharedLock::retain);
	}

	/**
	 * Leaves all locks, in reverse order, without waiting for the server.
	 * @param used whether the user has worked under them
	 * @return completes, never exceptionally, after the server's answers to all releases.
	 * The result is the loss of a lock with {@code OnLost.FAIL}, or {@code null}
	 */
	CompletableFuture<@Nullable LockLostException> leave(boolean used) {
		CompletableFuture<@Nullable LockLostException> left = CompletableFuture.completedFuture(null);
		for (int i = this.locks.size() - 1; i >= 0; i--) {
			left = left.thenCombine(this.locks.get(i).leave(used), (first, second) -> (first != null) ? first : second);
		}
		return left;
	}

	/**
	 * A lock from the view of one user.
	 *
	 * @param held the lock
	 * @param outer the lock of the enclosing work, or {@code null}
	 * @param count the number of its users
	 */
	record SharedLock(HeldLock held, @Nullable SharedLock outer, AtomicInteger count) {

		private static final Logger logger = LoggerFactory.getLogger(SharedLocks.class);

		SharedLock(HeldLock held) {
			this(held, null, new AtomicInteger(1));
		}

		/**
		 * Returns whether nested work can use this lock as another type.
		 * @param wanted the other type
		 * @return {@code false} if it is a read lock, and a write lock is wanted
		 */
		boolean covers(LockType wanted) {
			return (this.outer != null) ? this.outer.covers(wanted) : this.held.request().covers(wanted);
		}

		/**
		 * Adds nested work as a user: with the same lease, and its own request.
		 * @param request the request
		 * @return the lock, or {@code null} if it is already released
		 */
		@Nullable SharedLock enter(LockRequest request) {
			return retain() ? new SharedLock(new HeldLock(request, null, this.held.lease()), this, this.count) : null;
		}

		private boolean retain() {
			return this.count.getAndUpdate((value) -> (value > 0) ? value + 1 : 0) > 0;
		}

		CompletionStage<@Nullable LockLostException> leave(boolean used) {
			Lease lease = this.held.lease();
			if (this.count.decrementAndGet() > 0) {
				return CompletableFuture.completedFuture(lossIf(!lease.isHeld()));
			}
			CompletionStage<Boolean> released = (used || this.outer != null) ? lease.releaseAsync()
					: lease.releaseAfterAsync(Duration.ZERO);
			return released.handle((ours, failure) -> {
				if (failure != null) {
					logger.warn("Failed to release lock '{}': it expires with its lease",
							LogSafe.of(this.held.request().key()), failure);
				}
				return lossIf(Boolean.FALSE.equals(ours));
			});
		}

		private @Nullable LockLostException lossIf(boolean lost) {
			return (lost && this.held.failsWhenLost()) ? this.held.lost() : null;
		}

	}

}
