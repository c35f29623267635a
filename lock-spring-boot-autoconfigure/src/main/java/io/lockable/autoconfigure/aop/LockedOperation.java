package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.OnFailure;
import org.jspecify.annotations.Nullable;

/**
 * Everything that an annotation says about one method of one class, ready to be used by
 * every call.
 *
 * @param method the method, as it was called
 * @param prefix what stands before the key in the store
 * @param key the key
 * @param options how to acquire, keep and release the lock
 * @param onFailure what happens when somebody else holds the lock; never
 * {@link OnFailure#DEFAULT}
 */
record LockedOperation(Method method, String prefix, KeyExpression key, LockOptions options, OnFailure onFailure) {

	/**
	 * Returns the lock of one call.
	 * @param locks gives the lock
	 * @param arguments the arguments of the call
	 * @return the lock
	 * @throws LockKeyException if the key cannot be built
	 */
	DistributedLock lock(DistributedLocks locks, @Nullable Object[] arguments) {
		return locks.get(this.key.evaluate(this.prefix, arguments), this.options);
	}

	/**
	 * Acquires the lock for this thread, waiting as long as the annotation says.
	 * @param lock the lock of the call
	 * @return whether this thread holds the lock now
	 * @throws InterruptedException if the thread was interrupted while it waited, and the
	 * method declares that
	 */
	boolean tryLock(DistributedLock lock) throws InterruptedException {
		Duration wait = this.options.waitTime();
		if (wait.isZero()) {
			return lock.tryLock();
		}
		try {
			return lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			if (declaresInterruptedException()) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw new LockException(
					"Interrupted while waiting for lock '%s' to run %s. The method was not run; declare InterruptedException to handle this."
						.formatted(lock.key(), describe()),
					ex);
		}
	}

	/**
	 * Returns what a call gives whose method is skipped.
	 * @return {@code null} or an empty {@link Optional}
	 */
	@Nullable Object skipped() {
		return (this.method.getReturnType() == Optional.class) ? Optional.empty() : null;
	}

	String describe() {
		return InvalidDistributedLockableException.describe(this.method);
	}

	private boolean declaresInterruptedException() {
		for (Class<?> type : this.method.getExceptionTypes()) {
			if (type.isAssignableFrom(InterruptedException.class)) {
				return true;
			}
		}
		return false;
	}

}
