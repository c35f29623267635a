package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

import io.lockable.DistributedLocks;
import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;
import org.springframework.scheduling.TaskScheduler;

/**
 * A lock registry of Spring Integration on {@link DistributedLocks}. Its locks belong to
 * the calling thread and are reentrant. {@code lock()} waits without limit, and
 * {@code tryLock()} tries exactly once.
 *
 * <p>
 * The methods without a time to live acquire with the options of this registry. By
 * default, the lease of a live holder is renewed. A time to live is a lease that ends
 * unless {@link #renewLock} extends it.
 *
 * <p>
 * <b>Exceptions:</b> {@code unlock()} of a lost lock throws
 * {@link java.util.ConcurrentModificationException}. Until then, an acquisition by its
 * thread throws {@link org.springframework.dao.CannotAcquireLockException}.
 * {@code unlock()} of a lock that the current thread does not hold throws
 * {@link IllegalStateException}. If the store fails, an acquisition throws
 * {@link org.springframework.dao.CannotAcquireLockException}. A failed release is retried
 * in the background without an exception.
 *
 * <p>
 * Requires Spring Integration 7; {@code lock-spring-boot-3} has a registry for Spring
 * Integration 6. Thread-safe.
 *
 * @since 0.1.0
 */
public final class DistributedLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private final RegistryLocks locks;

	/**
	 * Creates a registry.
	 * @param locks the locks
	 * @param prefix the prefix of each key in the store, such as
	 * {@code "disLock:integration:"}. Registries with the same prefix share their locks
	 * @param options the options of the locks, without their wait time: each method
	 * determines its own wait
	 */
	public DistributedLockRegistry(DistributedLocks locks, String prefix, LockOptions options) {
		this(new RegistryLocks(locks, prefix, options));
	}

	DistributedLockRegistry(RegistryLocks locks) {
		this.locks = locks;
	}

	/**
	 * Returns the lock of a key. The registry stores no locks, so the number of keys is
	 * unlimited.
	 * @param lockKey a text, or an object with the same text on every instance, such as a
	 * number, a UUID or an enum
	 * @return the lock
	 * @throws io.lockable.LockKeyException if the key is null or blank, or has no such
	 * text
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new TimedRegistryLock(this.locks, lockKey);
	}

	/**
	 * Does nothing: the registry stores no locks.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Extends the lease of the lock to at least the lease of this registry from now.
	 * Blocks until the store answers.
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.lockable.LockStoreException if the store failed
	 */
	@Override
	public void renewLock(Object lockKey) {
		this.locks.renew(lockKey);
	}

	/**
	 * Extends the lease of the lock to at least the time to live from now. Never shortens
	 * it. Blocks until the store answers.
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.lockable.LockStoreException if the store failed
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		this.locks.renew(lockKey, ttl);
	}

	/**
	 * Enables renewal for later acquisitions with a time to live. The scheduler is not
	 * used: the engine renews all due leases in one round trip.
	 */
	@Override
	public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
		Objects.requireNonNull(renewalTaskScheduler, "'renewalTaskScheduler' must not be null");
		this.locks.renewAlways();
	}

	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
			throws E, InterruptedException {
		this.locks.call(obtain(lockKey), callable(runnable));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey,
			CheckedCallable<T, E> callable) throws E, InterruptedException {
		return this.locks.call(obtain(lockKey), callable);
	}

	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedRunnable<E> runnable) throws E, InterruptedException, TimeoutException {
		this.locks.call(obtain(lockKey), waitLockDuration, callable(runnable));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedCallable<T, E> callable) throws E, InterruptedException, TimeoutException {
		return this.locks.call(obtain(lockKey), waitLockDuration, callable);
	}

	private static <E extends Throwable> CheckedCallable<@Nullable Object, E> callable(CheckedRunnable<E> runnable) {
		return () -> {
			runnable.run();
			return null;
		};
	}

	@Override
	public String toString() {
		return this.locks.toString();
	}

	/**
	 * A lock of this registry, including the methods with a time to live.
	 */
	private static final class TimedRegistryLock extends RegistryLocks.RegistryLock implements DistributedLock {

		TimedRegistryLock(RegistryLocks registry, Object lockKey) {
			super(registry, lockKey);
		}

		@Override
		public void lock(Duration ttl) {
			lockFor(ttl);
		}

		@Override
		public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
			return tryLockFor(waitTime, ttl);
		}

	}

}
