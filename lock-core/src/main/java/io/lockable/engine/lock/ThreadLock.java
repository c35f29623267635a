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
		InterruptPolicy.THROW.check();
		if (waitsForItself()) {
			throw new LockNotAcquiredException(
					"Lock '%s' was not acquired: this thread holds it already and would wait for itself"
						.formatted(key()));
		}
		Lease lease = take(this.options, InterruptPolicy.THROW);
		if (lease == null) {
			throw Acquirer.notAcquired(key(), this.options);
		}
		return lease;
	}

	@Override
	public final Optional<Lease> tryAcquire() {
		return waitsForItself() ? Optional.empty()
				: Optional.ofNullable(take(waiting(Duration.ZERO), InterruptPolicy.DEFER));
	}

	@Override
	public final Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
		LockOptions waiting = waiting(wait);
		InterruptPolicy.THROW.check();
		return waitsForItself() ? Optional.empty() : Optional.ofNullable(take(waiting, InterruptPolicy.THROW));
	}

	@Override
	public final <T extends @Nullable Object> T call(Callable<T> body) throws Exception {
		Objects.requireNonNull(body, "'body' must not be null");
		if (!enter(this.options, InterruptPolicy.THROW)) {
			throw Acquirer.notAcquired(key(), this.options);
		}
		return callLocked(body);
	}

	@Override
	public final void run(Runnable body) {
		Objects.requireNonNull(body, "'body' must not be null");
		try {
			if (!enter(this.options, InterruptPolicy.THROW)) {
				throw Acquirer.notAcquired(key(), this.options);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockException("Interrupted while waiting for lock '%s'".formatted(key()), ex);
		}
		LockContext outer = LockContext.replace(LockContext.of(lease()));
		try {
			body.run();
		}
		catch (Throwable ex) {
			leave(outer, ex);
			throw ex;
		}
		leave(outer, null);
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

	private <T extends @Nullable Object> T callLocked(Callable<T> body) throws Exception {
		LockContext outer = LockContext.replace(LockContext.of(lease()));
		T result;
		try {
			result = body.call();
		}
		catch (Throwable ex) {
			leave(outer, ex);
			throw ex;
		}
		leave(outer, null);
		return result;
	}

	/**
	 * Unlocks after a body, without changing the body's outcome. A loss was already
	 * logged and reported.
	 */
	private void leave(@Nullable LockContext outer, @Nullable Throwable failure) {
		LockContext.replace(outer);
		try {
			leave();
		}
		catch (LockException ex) {
			if (failure != null) {
				failure.addSuppressed(ex);
			}
			if (ex instanceof LockStoreException) {
				warn(ex);
			}
		}
	}

	private void warn(LockException failure) {
		log.warn("Failed to release lock '{}'; the release is retried until its lease expires", LogSafe.of(key()),
				failure);
	}

	private LockOptions waiting(Duration wait) {
		return this.options.withWaitTime(wait);
	}

}
