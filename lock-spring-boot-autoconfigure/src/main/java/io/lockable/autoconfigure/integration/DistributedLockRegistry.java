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
 * the calling thread and are reentrant; {@code lock()} waits without limit and
 * {@code tryLock()} is exactly one try.
 *
 * <p>
 * The methods without a time to live acquire with the options of this registry: by
 * default, the lease of a live holder is renewed. A time to live is a lease that ends
 * unless {@link #renewLock} extends it.
 *
 * <p>
 * A lock that is lost is told by {@link java.util.ConcurrentModificationException} when
 * it is unlocked or entered again; one that this thread does not hold by
 * {@link IllegalStateException}; a store that fails by
 * {@link org.springframework.dao.CannotAcquireLockException} when a lock is acquired, and
 * not at all when it is unlocked: the release is then tried again in the background.
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
	 * @param locks gives the locks
	 * @param prefix what stands before the key of each lock in the store, such as
	 * {@code "disLock:integration:"}. Registries with the same prefix share their locks
	 * @param options the lease and its renewal, and how to release. Without the waiting
	 * time: each method says itself how long it waits
	 */
	public DistributedLockRegistry(DistributedLocks locks, String prefix, LockOptions options) {
		this(new RegistryLocks(locks, prefix, options));
	}

	DistributedLockRegistry(RegistryLocks locks) {
		this.locks = locks;
	}

	/**
	 * Returns the lock of that key. Nothing is kept of it here, so there is no end to the
	 * number of keys.
	 * @param lockKey a text, or an object whose text is the same on every instance, such
	 * as a number, a UUID or an enum
	 * @return the lock
	 * @throws io.lockable.LockKeyException if the key is null, blank or has no text of
	 * its own
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new TimedRegistryLock(this.locks, lockKey);
	}

	/**
	 * Does nothing: this registry keeps no locks that could be forgotten.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Lets the lock live at least one lease of this registry from now on.
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.lockable.LockStoreException if the store failed
	 */
	@Override
	public void renewLock(Object lockKey) {
		this.locks.renew(lockKey);
	}

	/**
	 * Lets the lock live at least that long from now on. Never shortens its life.
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.lockable.LockStoreException if the store failed
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		this.locks.renew(lockKey, ttl);
	}

	/**
	 * Renews from now on also the locks that are acquired with a time to live. The
	 * scheduler is not used: leases are renewed by the engine, in one round trip for all
	 * that are due.
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
	 * A lock of this registry, with the methods that have a time to live.
	 */
	private static final class TimedRegistryLock extends RegistryLock implements DistributedLock {

		TimedRegistryLock(RegistryLocks registry, Object lockKey) {
			super(registry, registry.key(lockKey));
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
