package io.lockable.spring.call;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.LockLostException;
import io.lockable.LockType;
import io.lockable.LogSafe;
import io.lockable.ReturnableLease;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of work that no thread owns. Each is counted: it is released when the last of
 * those who share it leaves, be it the work itself, work within that entered the same
 * lock again, or the transaction around.
 *
 * <p>
 * Invariant: a count that has reached zero never grows again, so a lock is released once
 * and nobody enters it afterwards.
 */
final class SharedLocks {

	private final List<SharedLock> locks;

	SharedLocks(List<SharedLock> locks) {
		this.locks = List.copyOf(locks);
	}

	static SharedLocks of(List<HeldLock> held) {
		return new SharedLocks(held.stream().map(SharedLock::new).toList());
	}

	List<SharedLock> locks() {
		return this.locks;
	}

	List<HeldLock> held() {
		return this.locks.stream().map(SharedLock::held).toList();
	}

	boolean failsWhenLost() {
		return this.locks.stream().anyMatch((lock) -> lock.held.failsWhenLost());
	}

	/**
	 * Takes part once more in locks that are surely shared now.
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
	 * @return completes, never exceptionally, when the server has answered for those that
	 * were released: with the loss of one whose loss must not go unnoticed, or
	 * {@code null}
	 */
	CompletableFuture<@Nullable LockLostException> leave() {
		CompletableFuture<@Nullable LockLostException> left = nothingLost();
		for (int i = this.locks.size() - 1; i >= 0; i--) {
			left = left.thenCombine(this.locks.get(i).leave(), (first, second) -> (first != null) ? first : second);
		}
		return left;
	}

	/**
	 * Leaves all locks as {@link #leave()} does, before any work was done under them.
	 */
	void leaveUnused() {
		this.locks.forEach(SharedLock::unused);
		leave();
	}

	/**
	 * A lock as one work sees it, and how many works take part in it.
	 */
	static final class SharedLock {

		private static final Logger logger = LoggerFactory.getLogger(SharedLocks.class);

		private final HeldLock held;

		private final @Nullable SharedLock outer;

		private final AtomicInteger count;

		SharedLock(HeldLock held) {
			this.held = held;
			this.outer = null;
			this.count = new AtomicInteger(1);
		}

		private SharedLock(HeldLock held, SharedLock outer) {
			this.held = held;
			this.outer = outer;
			this.count = outer.count;
		}

		HeldLock held() {
			return this.held;
		}

		/**
		 * Returns whether work within may have this lock as another type of it.
		 * @param wanted the other type
		 * @return {@code false} if it was acquired by a reader, and a writer's is wanted
		 */
		boolean covers(LockType wanted) {
			return (this.outer != null) ? this.outer.covers(wanted) : this.held.request().covers(wanted);
		}

		/**
		 * Lets work within take part: with the same lease, and its own rules about it.
		 * @param request the rules
		 * @return the lock, or {@code null} if it is released already
		 */
		@Nullable SharedLock enter(LockRequest request) {
			return retain() ? new SharedLock(new HeldLock(request, null, this.held.lease()), this) : null;
		}

		private boolean retain() {
			return this.count.getAndUpdate((value) -> (value > 0) ? value + 1 : 0) > 0;
		}

		private void unused() {
			if (this.outer == null) {
				ReturnableLease.unused(this.held.lease());
			}
		}

		CompletionStage<@Nullable LockLostException> leave() {
			if (this.count.decrementAndGet() > 0) {
				return CompletableFuture.completedFuture(lossIf(!this.held.lease().isHeld()));
			}
			return this.held.lease().releaseAsync().handle((ours, failure) -> {
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
