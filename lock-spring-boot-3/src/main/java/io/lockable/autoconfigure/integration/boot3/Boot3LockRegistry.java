package io.lockable.autoconfigure.integration.boot3;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import io.lockable.autoconfigure.integration.RegistryLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;

/**
 * A lock registry of Spring Integration 6, whose locks have no time to live. Otherwise it
 * is as that for Spring Integration 7. Thread-safe.
 */
final class Boot3LockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

	private final RegistryLocks locks;

	Boot3LockRegistry(RegistryLocks locks) {
		this.locks = locks;
	}

	@Override
	public Lock obtain(Object lockKey) {
		return this.locks.obtain(lockKey);
	}

	/**
	 * Does nothing: this registry keeps no locks that could be forgotten.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	@Override
	public void renewLock(Object lockKey) {
		this.locks.renew(lockKey);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey,
			CheckedCallable<T, E> callable) throws E, InterruptedException {
		return this.locks.call(obtain(lockKey), callable);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedCallable<T, E> callable) throws E, InterruptedException, TimeoutException {
		return this.locks.call(obtain(lockKey), waitLockDuration, callable);
	}

	@Override
	public String toString() {
		return this.locks.toString();
	}

}
