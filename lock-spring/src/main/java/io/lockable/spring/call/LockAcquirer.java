package io.lockable.spring.call;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.annotation.LockType;
import io.lockable.spring.metadata.InvalidAnnotation;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Acquires the locks of annotated calls. Thread-safe.
 *
 * @param locks the locks, requested with the first call, so that the beans of the store
 * are not created with the proxies
 * @param losses the losses of their leases
 */
record LockAcquirer(Supplier<DistributedLocks> locks, LossWatch.Losses losses) {

	LockAcquirer(Supplier<DistributedLocks> locks) {
		this(SingletonSupplier.of(locks), new LossWatch.Losses());
	}

	/**
	 * Acquires a lock as a handle, for work that no thread owns. Does not block.
	 * @param request the lock
	 * @param elapsed the time that the call has waited for other locks
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquireAsync(LockRequest request, Duration elapsed) {
		LockOptions options = request.options().withWaitTime(left(request.options().waitTime(), elapsed));
		return request.isSemaphore() ? semaphore(request, options).acquireAsync()
				: lock(request, options).acquireAsync();
	}

	/**
	 * Returns the holder of a lock for messages.
	 * @param request the lock
	 * @return the text, with a colon before it; empty if the holder is not known
	 */
	String knownHolder(LockRequest request) {
		return lock(request, request.options()).knownHolder().map((holder) -> ": " + holder).orElse("");
	}

	private DistributedLock lock(LockRequest request, LockOptions options) {
		DistributedLocks from = locks(request);
		return switch (request.annotation().type()) {
			case EXCLUSIVE -> from.get(request.key(), options);
			case READ -> from.getReadWriteLock(request.key(), options).readLock();
			case WRITE -> from.getReadWriteLock(request.key(), options).writeLock();
		};
	}

	private DistributedSemaphore semaphore(LockRequest request, LockOptions options) {
		return locks(request).getSemaphore(request.key(), request.annotation().permits(), options);
	}

	/**
	 * Returns the identity of a lock.
	 * @param request the lock
	 * @return its identity
	 */
	LockId id(LockRequest request) {
		return new LockId(locks(request), request.key());
	}

	private DistributedLocks locks(LockRequest request) {
		Supplier<DistributedLocks> own = request.locks();
		return (own != null) ? own.get() : this.locks.get();
	}

	/**
	 * Acquires all locks of a call or none, within one wait time. Blocks.
	 * @param requests the locks, in order
	 * @param asHandles whether work on other threads needs handles; otherwise the current
	 * thread holds the locks
	 * @param method the method to run, which may declare {@link InterruptedException}
	 * @return the held locks, or the refused one
	 * @throws InterruptedException if the thread was interrupted while it waited, and the
	 * method declares that exception
	 */
	Outcome acquire(List<LockRequest> requests, boolean asHandles, Method method) throws InterruptedException {
		List<HeldLock> held = new ArrayList<>(requests.size());
		try {
			long start = System.nanoTime();
			for (LockRequest request : requests) {
				Duration wait = held.isEmpty() ? request.options().waitTime()
						: left(request.options().waitTime(), Duration.ofNanos(System.nanoTime() - start));
				rejectWaitForOwnTransaction(request);
				HeldLock acquired = tryAcquire(request, wait, asHandles);
				if (acquired == null) {
					giveBack(held, null);
					return new Outcome(List.of(), request);
				}
				held.add(acquired);
			}
		}
		catch (Throwable ex) {
			giveBack(held, ex);
			if (ex instanceof InterruptedException && !declaresInterruptedException(method)) {
				Thread.currentThread().interrupt();
				throw new LockException(
						"Interrupted while waiting for lock '%s' to run %s. The method was not run; declare InterruptedException to handle this."
							.formatted(requests.get(held.size()).key(), InvalidAnnotation.describe(method)),
						ex);
			}
			throw ex;
		}
		return new Outcome(held, null);
	}

	/**
	 * Releases unused locks, unless an enclosing call has worked under the same lease.
	 */
	private void giveBack(List<HeldLock> held, @Nullable Throwable failure) {
		for (int i = held.size() - 1; i >= 0; i--) {
			if (!isHeldAround(held.get(i))) {
				held.get(i).lease().releaseAfterAsync(Duration.ZERO);
			}
		}
		HeldLock.release(held, failure);
	}

	private boolean isHeldAround(HeldLock held) {
		DistributedLock lock = held.lock();
		if (lock == null) {
			return false;
		}
		return lock.holdCount() > 1 || (held.request().annotation().type() == LockType.READ
				&& sides(held.request()).writeLock().holdCount() > 0);
	}

	private DistributedReadWriteLock sides(LockRequest request) {
		return locks(request).getReadWriteLock(request.key(), request.options());
	}

	private void rejectWaitForOwnTransaction(LockRequest request) {
		if (!request.isSemaphore() && CallerTransaction.shares((shared) -> id(shared).equals(id(request)))) {
			throw new LockException(
					("Lock '%s' is held by the enclosing transaction until it completes, because a method "
							+ "that returned a stage acquired it. This call would wait for itself. Set "
							+ "inTransaction = InTransaction.RELEASE on that method, or call it in a transaction of "
							+ "its own.")
						.formatted(request.key()));
		}
	}

	private static Duration left(Duration wait, Duration elapsed) {
		Duration left = wait.minus(elapsed);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private static boolean declaresInterruptedException(Method method) {
		return Arrays.stream(method.getExceptionTypes())
			.anyMatch((type) -> type.isAssignableFrom(InterruptedException.class));
	}

	/**
	 * Acquires a lock. A handle and a permit are not reentrant: a thread that holds the
	 * lock, or any side of it, would wait for itself.
	 * @param request the request
	 * @param wait the wait time
	 * @param asHandle whether work on other threads needs a handle; otherwise the current
	 * thread holds the lock, unless it is a permit
	 * @return the held lock, or {@code null} if another owner holds it
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	private @Nullable HeldLock tryAcquire(LockRequest request, Duration wait, boolean asHandle)
			throws InterruptedException {
		DistributedLock lock = lock(request, request.options());
		if (!asHandle && !request.isSemaphore()) {
			boolean acquired = wait.isZero() ? lock.tryLock() : lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
			return acquired ? new HeldLock(request, lock, lock.lease()) : null;
		}
		if (lock.isHeldByCurrentThread() || holdsOtherSide(request)) {
			throw new LockException(
					("Lock '%s' is held by this thread, which would wait for itself: neither a permit nor work that "
							+ "continues after the call can share the lock. Annotate only one of the two methods, "
							+ "or let both return their result directly.")
						.formatted(request.key()));
		}
		DistributedSemaphore semaphore = request.isSemaphore() ? semaphore(request, request.options()) : null;
		Optional<Lease> lease = wait.isZero() ? ((semaphore != null) ? semaphore.tryAcquire() : lock.tryAcquire())
				: (semaphore != null) ? semaphore.tryAcquire(wait) : lock.tryAcquire(wait);
		return lease.map((acquired) -> new HeldLock(request, null, acquired)).orElse(null);
	}

	private boolean holdsOtherSide(LockRequest request) {
		try {
			DistributedReadWriteLock sides = sides(request);
			return sides.readLock().isHeldByCurrentThread() || sides.writeLock().isHeldByCurrentThread();
		}
		catch (UnsupportedOperationException ex) {
			// A store without shared locks has no read and write sides
			return false;
		}
	}

	/**
	 * The identity of a lock.
	 *
	 * @param locks the bean that provides it
	 * @param key the full name of the lock
	 */
	record LockId(DistributedLocks locks, String key) {

	}

	/**
	 * The outcome of acquiring the locks of a call.
	 *
	 * @param held all of the locks, or none
	 * @param refused the lock that another owner held until the end of the wait time, or
	 * {@code null}
	 */
	record Outcome(List<HeldLock> held, @Nullable LockRequest refused) {

	}

}
