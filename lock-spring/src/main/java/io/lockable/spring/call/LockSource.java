package io.lockable.spring.call;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
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
import io.lockable.LockType;
import io.lockable.spring.metadata.Guard;
import io.lockable.spring.metadata.InvalidAnnotation;
import io.lockable.spring.metadata.Printed;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Gives the locks of annotated calls. Thread-safe.
 */
final class LockSource {

	private final Supplier<DistributedLocks> locks;

	/**
	 * Creates a source.
	 * @param locks gives the locks; asked at the first call, so that nothing the store
	 * needs is created while the proxies are
	 */
	LockSource(Supplier<DistributedLocks> locks) {
		this.locks = SingletonSupplier.of(locks);
	}

	/**
	 * Acquires a lock without blocking, for work that no thread owns: a handle.
	 * @param guard the lock
	 * @param elapsed how long the call has waited for other locks
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquireAsync(Guard guard, Duration elapsed) {
		LockOptions options = guard.options().withWaitTime(left(guard.options().waitTime(), elapsed));
		return guard.isSemaphore() ? semaphore(guard, options).acquireAsync() : lock(guard, options).acquireAsync();
	}

	private DistributedLock lock(Guard guard, LockOptions options) {
		DistributedLocks from = locks(guard);
		return switch (guard.type()) {
			case EXCLUSIVE -> from.get(guard.key(), options);
			case READ -> from.getReadWriteLock(guard.key(), options).readLock();
			case WRITE -> from.getReadWriteLock(guard.key(), options).writeLock();
		};
	}

	private DistributedSemaphore semaphore(Guard guard, LockOptions options) {
		return locks(guard).getSemaphore(guard.key(), guard.permits(), options);
	}

	/**
	 * Returns what tells a lock from all others.
	 * @param guard the lock
	 * @return its identity
	 */
	LockId id(Guard guard) {
		return new LockId(locks(guard), guard.key());
	}

	private DistributedLocks locks(Guard guard) {
		Supplier<DistributedLocks> own = guard.locks();
		return (own != null) ? own.get() : this.locks.get();
	}

	/**
	 * Acquires all locks of a call or none, blocking, within one wait.
	 * @param guards the locks, in order
	 * @param acquirer how to acquire one
	 * @param method the method to run, which may declare {@link InterruptedException}
	 * @return what is held; or why nothing is
	 * @throws InterruptedException if the thread was interrupted while it waited, and the
	 * method declares that
	 */
	Attempt acquire(List<Guard> guards, Acquirer acquirer, Method method) throws InterruptedException {
		List<HeldLock> held = new ArrayList<>(guards.size());
		try {
			long start = (guards.size() > 1) ? System.nanoTime() : 0;
			for (Guard guard : guards) {
				Duration wait = guard.options().waitTime();
				if (!held.isEmpty()) {
					wait = left(wait, Duration.ofNanos(System.nanoTime() - start));
				}
				refuseToWaitForOwnTransaction(guard);
				HeldLock acquired = acquirer.tryAcquire(guard, wait);
				if (acquired == null) {
					giveBack(held, null);
					return new Attempt(List.of(), guard);
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
							.formatted(Printed.of(guards.get(held.size()).key()), InvalidAnnotation.describe(method)),
						ex);
			}
			throw ex;
		}
		return new Attempt(held, null);
	}

	/**
	 * Gives back locks under which nothing was run, unless a call around has run under
	 * the same lease.
	 */
	private void giveBack(List<HeldLock> held, @Nullable Throwable failure) {
		for (HeldLock each : held) {
			if (!isHeldAround(each)) {
				each.lease().unused();
			}
		}
		HeldLock.release(held, failure);
	}

	private boolean isHeldAround(HeldLock held) {
		DistributedLock lock = held.lock();
		if (lock == null) {
			return false;
		}
		return lock.holdCount() > 1
				|| (held.guard().type() == LockType.READ && sides(held.guard()).writeLock().holdCount() > 0);
	}

	private DistributedReadWriteLock sides(Guard guard) {
		return locks(guard).getReadWriteLock(guard.key(), guard.options());
	}

	private void refuseToWaitForOwnTransaction(Guard guard) {
		if (!guard.isSemaphore() && CallerTransaction.shares((shared) -> id(shared).equals(id(guard)))) {
			throw new LockException(
					("Lock '%s' is held by the enclosing transaction until it completes, because a method "
							+ "that returned a stage acquired it. This call would wait for itself. Set "
							+ "inTransaction = InTransaction.RELEASE on that method, or call it in a transaction of "
							+ "its own.")
						.formatted(Printed.of(guard.key())));
		}
	}

	private static Duration left(Duration wait, Duration elapsed) {
		Duration left = wait.minus(elapsed);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private static boolean declaresInterruptedException(Method method) {
		for (Class<?> type : method.getExceptionTypes()) {
			if (type.isAssignableFrom(InterruptedException.class)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Acquires a lock for the current thread: reentrant, unless it is a permit.
	 * @param guard what the annotation says of it
	 * @param wait how long to wait for it
	 * @return the lock, held; or {@code null} if somebody else holds it
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	@Nullable HeldLock forThread(Guard guard, Duration wait) throws InterruptedException {
		if (guard.isSemaphore()) {
			return permit(guard, wait);
		}
		DistributedLock lock = lock(guard, guard.options());
		boolean acquired = wait.isZero() ? lock.tryLock() : lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
		return acquired ? new HeldLock(guard, lock, lock.lease()) : null;
	}

	/**
	 * Acquires a lock for work that may go on elsewhere: a handle, not reentrant. So a
	 * thread that holds the lock, or any side of it, would wait for itself.
	 * @param guard what the annotation says of it
	 * @param wait how long to wait for it
	 * @return the lock, held; or {@code null} if somebody else holds it
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	@Nullable HeldLock asHandle(Guard guard, Duration wait) throws InterruptedException {
		if (guard.isSemaphore()) {
			return permit(guard, wait);
		}
		DistributedLock lock = lock(guard, guard.options());
		if (lock.isHeldByCurrentThread() || holdsOtherSide(guard)) {
			throw new LockException(
					("Lock '%s' is held by this thread, which would wait for itself: work that continues "
							+ "after the call cannot share the lock. Annotate only one of the two methods, or let "
							+ "both return their result directly.")
						.formatted(Printed.of(guard.key())));
		}
		return held(guard, wait.isZero() ? lock.tryAcquire() : lock.tryAcquire(wait));
	}

	private @Nullable HeldLock permit(Guard guard, Duration wait) throws InterruptedException {
		if (lock(guard, guard.options()).isHeldByCurrentThread()) {
			throw new LockException(
					"Lock '%s' is held by this thread, which would wait for itself: it excludes all permits of the key"
						.formatted(Printed.of(guard.key())));
		}
		DistributedSemaphore semaphore = semaphore(guard, guard.options());
		return held(guard, wait.isZero() ? semaphore.tryAcquire() : semaphore.tryAcquire(wait));
	}

	private static @Nullable HeldLock held(Guard guard, Optional<Lease> lease) {
		return lease.map((acquired) -> new HeldLock(guard, null, acquired)).orElse(null);
	}

	private boolean holdsOtherSide(Guard guard) {
		try {
			DistributedReadWriteLock sides = sides(guard);
			return sides.readLock().isHeldByCurrentThread() || sides.writeLock().isHeldByCurrentThread();
		}
		catch (UnsupportedOperationException ex) {
			// A store without shares has no sides
			return false;
		}
	}

	/**
	 * Acquires one lock.
	 */
	interface Acquirer {

		@Nullable HeldLock tryAcquire(Guard guard, Duration wait) throws InterruptedException;

	}

	/**
	 * Tells a lock from all others.
	 *
	 * @param locks what has it
	 * @param key the full name of the lock
	 */
	record LockId(DistributedLocks locks, String key) {

	}

	/**
	 * What came of acquiring the locks of a call.
	 *
	 * @param held all of them; or none
	 * @param refused the lock that somebody else held until the wait was over, if any
	 */
	record Attempt(List<HeldLock> held, @Nullable Guard refused) {

	}

}
