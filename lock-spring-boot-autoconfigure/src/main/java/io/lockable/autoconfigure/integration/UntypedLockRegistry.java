package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLocks;
import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;
import org.springframework.scheduling.TaskScheduler;

/**
 * The {@link DistributedLockRegistry} for Spring Integration 6, whose registries have no
 * type parameter and whose locks have no time to live. It is raw on purpose: reflection
 * on arguments of a type that takes none there would fail. Without type arguments, what a
 * body returns cannot be said to be nullable.
 */
@SuppressWarnings({ "rawtypes", "unchecked", "NullAway" })
final class UntypedLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

	private final RegistryLocks locks;

	UntypedLockRegistry(DistributedLocks locks, String prefix, LockOptions options) {
		this.locks = new RegistryLocks(locks, prefix, options);
	}

	@Override
	public Lock obtain(Object lockKey) {
		return new RegistryLock(this.locks, this.locks.key(lockKey));
	}

	@Override
	public void expireUnusedOlderThan(long age) {
	}

	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, this.locks.options().lease());
	}

	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		this.locks.renew(lockKey, ttl);
	}

	@Override
	public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
		Objects.requireNonNull(renewalTaskScheduler, "'renewalTaskScheduler' must not be null");
		this.locks.renewAlways();
	}

	@Override
	public void executeLocked(Object lockKey, CheckedRunnable runnable) throws Throwable {
		this.locks.call(obtain(lockKey), callable(runnable));
	}

	@Override
	public @Nullable Object executeLocked(Object lockKey, CheckedCallable callable) throws Throwable {
		return this.locks.call(obtain(lockKey), (CheckedCallable<@Nullable Object, Throwable>) callable);
	}

	@Override
	public void executeLocked(Object lockKey, Duration waitLockDuration, CheckedRunnable runnable)
			throws Throwable, TimeoutException {
		this.locks.call(obtain(lockKey), waitLockDuration, callable(runnable));
	}

	@Override
	public @Nullable Object executeLocked(Object lockKey, Duration waitLockDuration, CheckedCallable callable)
			throws Throwable, TimeoutException {
		return this.locks.call(obtain(lockKey), waitLockDuration,
				(CheckedCallable<@Nullable Object, Throwable>) callable);
	}

	private static CheckedCallable<@Nullable Object, Throwable> callable(CheckedRunnable runnable) {
		return () -> {
			runnable.run();
			return null;
		};
	}

	@Override
	public String toString() {
		return this.locks.toString();
	}

}
