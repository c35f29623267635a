package io.lockable.engine.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of all {@link DistributedLock} implementations. Handles are built on
 * {@link #take}, and locks of a thread on {@link #enter} and {@link #leave}.
 */
abstract class ThreadLock implements DistributedLock {

	private static final Logger log = LoggerFactory.getLogger(ThreadLock.class);

	private final LockOptions options;

	ThreadLock(LockOptions options) {
		this.options = options;
	}

	LockOptions options() {
		return this.options;
	}

	/**
	 * Acquires a handle.
	 * @param <X> the exception that an interrupt throws
	 * @param options the options, with the wait time
	 * @param interrupts the effect of an interrupt
	 * @return the lease, or {@code null} if another owner held the lock until the wait
	 * time was over
	 * @throws X if the thread was interrupted; no lock is held
	 */
	abstract <X extends Exception> @Nullable Lease take(LockOptions options, InterruptPolicy<X> interrupts) throws X;

	/**
	 * Acquires or re-enters the lock for the current thread.
	 * @param <X> the exception that an interrupt throws
	 * @param options the options, with the wait time
	 * @param interrupts the effect of an interrupt
	 * @return {@code false} if another owner held the lock until the wait time was over
	 * @throws X if the thread was interrupted; the state is unchanged
	 */
	abstract <X extends Exception> boolean enter(LockOptions options, InterruptPolicy<X> interrupts) throws X;

	/**
	 * Returns whether a hold of the current thread excludes a further handle.
	 * @return whether it would wait for itself
	 */
	abstract boolean waitsForItself();

	/**
	 * Releases one acquisition of the current thread.
	 * @throws io.lockable.LockLostException if the lock was no longer held
	 * @throws LockStoreException if the store failed
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	abstract void leave();

	@Override
	public final Lease acquire() throws InterruptedException {
		return handle(this.options, InterruptPolicy.THROW)
			.orElseThrow(() -> waitsForItself() ? new LockNotAcquiredException(
					"Lock '%s' was not acquired: this thread holds it already and would wait for itself"
						.formatted(key()))
					: notAcquired());
	}

	@Override
	public final Optional<Lease> tryAcquire() {
		return handle(waiting(Duration.ZERO), InterruptPolicy.DEFER);
	}

	@Override
	public final Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
		return handle(waiting(wait), InterruptPolicy.THROW);
	}

	private <X extends Exception> Optional<Lease> handle(LockOptions waiting, InterruptPolicy<X> interrupts) throws X {
		interrupts.check();
		return waitsForItself() ? Optional.empty() : Optional.ofNullable(take(waiting, interrupts));
	}

	@Override
	public final <T extends @Nullable Object> T call(Callable<T> body) throws Exception {
		Objects.requireNonNull(body, "'body' must not be null");
		enter();
		return callLocked(body::call);
	}

	@Override
	public final void run(Runnable body) {
		Objects.requireNonNull(body, "'body' must not be null");
		try {
			enter();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockException("Interrupted while waiting for lock '%s'".formatted(key()), ex);
		}
		this.<@Nullable Object, RuntimeException>callLocked(() -> {
			body.run();
			return null;
		});
	}

	private void enter() throws InterruptedException {
		if (!enter(this.options, InterruptPolicy.THROW)) {
			throw notAcquired();
		}
	}

	private LockNotAcquiredException notAcquired() {
		return new LockNotAcquiredException(key(), this.options.waitTime(), knownHolder().orElse(null));
	}

	@Override
	public final void lock() {
		enter(waiting(LockOptions.UNLIMITED), InterruptPolicy.DEFER);
	}

	@Override
	public final void lockInterruptibly() throws InterruptedException {
		enter(waiting(LockOptions.UNLIMITED), InterruptPolicy.THROW);
	}

	@Override
	public final boolean tryLock() {
		return enter(waiting(Duration.ZERO), InterruptPolicy.DEFER);
	}

	@Override
	public final boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return enter(waiting(Duration.ofNanos(unit.toNanos(Math.max(0, time)))), InterruptPolicy.THROW);
	}

	@Override
	public final void unlock() {
		try {
			leave();
		}
		catch (LockStoreException ex) {
			warn(ex);
		}
	}

	@Override
	public final Condition newCondition() {
		throw new UnsupportedOperationException(
				"A distributed lock has no conditions: poll the awaited state, or send a message");
	}

	private <T extends @Nullable Object, X extends Exception> T callLocked(Body<T, X> body) throws X {
		LockContext outer = LockContext.replace(LockContext.of(lease()));
		Throwable failure = null;
		try {
			return body.call();
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			LockContext.replace(outer);
			leaveQuietly(failure);
		}
	}

	/**
	 * Releases one acquisition without changing the outcome of the work under it. A loss
	 * was already logged and reported.
	 * @param failure the failure of the work, or {@code null}
	 * @throws IllegalMonitorStateException if the work succeeded and unlocked the lock
	 */
	final void leaveQuietly(@Nullable Throwable failure) {
		try {
			leave();
		}
		catch (LockException | IllegalMonitorStateException ex) {
			if (failure != null) {
				failure.addSuppressed(ex);
			}
			else if (ex instanceof IllegalMonitorStateException) {
				throw ex;
			}
			if (ex instanceof LockStoreException store) {
				warn(store);
			}
		}
	}

	private void warn(LockStoreException failure) {
		log.warn("Failed to release lock '{}'; the release is retried until its lease expires", LogSafe.of(key()),
				failure);
	}

	@Override
	public final String toString() {
		return "DistributedLock[" + key() + "]";
	}

	private LockOptions waiting(Duration wait) {
		return this.options.withWaitTime(wait);
	}

	/**
	 * Work under the lock.
	 *
	 * @param <T> the type of the result
	 * @param <X> the exception that it throws
	 */
	private interface Body<T extends @Nullable Object, X extends Exception> {

		T call() throws X;

	}

}
