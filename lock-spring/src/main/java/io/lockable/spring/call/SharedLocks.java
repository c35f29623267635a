package io.lockable.spring.call;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

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
		for (SharedLock lock : this.locks) {
			if (!lock.retain()) {
				throw new IllegalStateException(
						"Lock '%s' is already released".formatted(LogSafe.of(lock.held.request().key())));
			}
		}
	}

	static CompletableFuture<@Nullable LockLostException> nothingLost() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Leaves all locks, in reverse order, without waiting for the server.
	 * @return completes, never exceptionally, after the server's answers to all releases.
	 * The result is the loss of a lock with {@code OnLost.FAIL}, or {@code null}
	 */
	CompletableFuture<@Nullable LockLostException> leave() {
		return leave(SharedLock::leave);
	}

	private CompletableFuture<@Nullable LockLostException> leave(
			Function<SharedLock, CompletionStage<@Nullable LockLostException>> way) {
		CompletableFuture<@Nullable LockLostException> left = nothingLost();
		for (int i = this.locks.size() - 1; i >= 0; i--) {
			left = left.thenCombine(way.apply(this.locks.get(i)), (first, second) -> (first != null) ? first : second);
		}
		return left;
	}

	/**
	 * Leaves all locks as {@link #leave()} does, without having worked under them.
	 */
	void leaveUnused() {
		leave(SharedLock::leaveUnused);
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

		CompletionStage<@Nullable LockLostException> leave() {
			return leave(Lease::releaseAsync);
		}

		private CompletionStage<@Nullable LockLostException> leaveUnused() {
			return (this.outer != null) ? leave() : leave((lease) -> lease.releaseAfterAsync(Duration.ZERO));
		}

		private CompletionStage<@Nullable LockLostException> leave(Function<Lease, CompletionStage<Boolean>> release) {
			if (this.count.decrementAndGet() > 0) {
				return CompletableFuture.completedFuture(lossIf(!this.held.lease().isHeld()));
			}
			return release.apply(this.held.lease()).handle((ours, failure) -> {
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
