package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.autoconfigure.DistributedLockProperties;
import io.lockable.spring.metadata.KeyExpression;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.util.CheckedCallable;

/**
 * The parts of a registry that are independent of the Spring Integration version: keys,
 * options, and bodies under a lock. Stores no locks. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RegistryLocks {

	/**
	 * The name of the registry's locks in meters and events.
	 */
	private static final String NAME = "integration";

	private final DistributedLocks locks;

	private final String prefix;

	private final LockOptions options;

	private volatile boolean alwaysRenewed;

	RegistryLocks(DistributedLocks locks, String prefix, LockOptions options) {
		this.locks = Objects.requireNonNull(locks, "'locks' must not be null");
		this.prefix = Objects.requireNonNull(prefix, "'prefix' must not be null");
		this.options = Objects.requireNonNull(options, "'options' must not be null");
	}

	/**
	 * Creates the locks of the application's registry.
	 * @param locks the locks
	 * @param properties the properties of the application
	 * @return the locks
	 */
	public static RegistryLocks of(DistributedLocks locks, DistributedLockProperties properties) {
		String prefix = properties.integration().prefix();
		return new RegistryLocks(locks, (prefix != null) ? prefix : properties.prefix() + "integration:",
				properties.toOptions().withName(NAME));
	}

	/**
	 * Returns the lock of a key, without a time to live.
	 * @param lockKey a text, or an object with the same text on every instance
	 * @return the lock
	 * @throws io.lockable.LockKeyException if the key is null or blank, or has no such
	 * text
	 */
	public Lock obtain(@Nullable Object lockKey) {
		return new RegistryLock(this, lockKey);
	}

	/**
	 * Returns the full name of a lock. An object must have the same text on every
	 * instance. A hash code or the identity of an object is rejected.
	 * @param lockKey the key
	 * @return prefix and text of the key
	 */
	private String key(@Nullable Object lockKey) {
		return this.prefix + KeyExpression.ofKey(lockKey, "lockKey");
	}

	/**
	 * Returns the options of a lock with a time to live. The caller determines the end of
	 * such a lock. It is therefore never retained, and renewed only if the registry
	 * enables renewal.
	 * @param ttl the lease
	 * @return the options
	 */
	private LockOptions options(Duration ttl) {
		Objects.requireNonNull(ttl, "'ttl' must not be null");
		Renewal renewal = this.alwaysRenewed ? Renewal.ON : Renewal.OFF;
		return this.options.withRetain(Duration.ZERO)
			.withMaxHold(LockOptions.UNLIMITED)
			.withLease(ttl)
			.withRenewal(renewal);
	}

	void renewAlways() {
		this.alwaysRenewed = true;
	}

	/**
	 * Extends the lock of the current thread to at least one lease from now.
	 * @param lockKey the key
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.lockable.LockStoreException if the store failed
	 */
	public void renew(@Nullable Object lockKey) {
		renew(lockKey, this.options.lease());
	}

	void renew(@Nullable Object lockKey, Duration ttl) {
		String key = key(lockKey);
		boolean renewed;
		try {
			renewed = this.locks.get(key, this.options).lease().extend(ttl);
		}
		catch (IllegalMonitorStateException ex) {
			throw notOwned(key, ex);
		}
		if (!renewed) {
			throw new IllegalStateException("Could not renew lock at '%s': it is lost".formatted(LogSafe.of(key)));
		}
	}

	private static IllegalStateException notOwned(String key, IllegalMonitorStateException cause) {
		return new IllegalStateException("You do not own lock at '%s'".formatted(LogSafe.of(key)), cause);
	}

	/**
	 * Runs a body under a lock, and waits for it without limit. An exception of the body
	 * takes precedence over the loss of the lock.
	 * @param <T> the type of the result
	 * @param <E> the type of the body's exception
	 * @param lock the lock
	 * @param body the body
	 * @return the result of the body
	 * @throws E the exception of the body
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	public <T extends @Nullable Object, E extends Throwable> T call(Lock lock, CheckedCallable<T, E> body)
			throws E, InterruptedException {
		lock.lockInterruptibly();
		try (Unlock unlock = lock::unlock) {
			return body.call();
		}
	}

	/**
	 * Runs a body under a lock as {@link #call(Lock, CheckedCallable)} does.
	 * @param <T> the type of the result
	 * @param <E> the type of the body's exception
	 * @param lock the lock
	 * @param wait the longest wait
	 * @param body the body
	 * @return the result of the body
	 * @throws E the exception of the body
	 * @throws InterruptedException if the thread was interrupted while it waited
	 * @throws TimeoutException if another owner held the lock until the end of the wait
	 */
	public <T extends @Nullable Object, E extends Throwable> T call(Lock lock, Duration wait,
			CheckedCallable<T, E> body) throws E, InterruptedException, TimeoutException {
		if (!lock.tryLock(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS)) {
			throw new TimeoutException(
					LogSafe.of("%s was not acquired within %s".formatted(lock, DurationText.of(wait))));
		}
		try (Unlock unlock = lock::unlock) {
			return body.call();
		}
	}

	@Override
	public String toString() {
		return "DistributedLockRegistry[" + this.prefix + "]";
	}

	/**
	 * A lock of a registry: the holds of the current thread on a key, with the exceptions
	 * of Spring Integration's registries and no state of its own.
	 */
	static class RegistryLock implements Lock {

		private final RegistryLocks registry;

		private final String key;

		RegistryLock(RegistryLocks registry, @Nullable Object lockKey) {
			this.registry = registry;
			this.key = registry.key(lockKey);
		}

		@Override
		public final void lock() {
			lock(this.registry.options);
		}

		/**
		 * Acquires the lock with a time to live. Waits without limit, and ignores
		 * interrupts.
		 * @param ttl the lease
		 */
		final void lockFor(Duration ttl) {
			lock(this.registry.options(ttl));
		}

		private void lock(LockOptions options) {
			acquire(options, (lock) -> {
				lock.lock();
				return true;
			});
		}

		@Override
		public final void lockInterruptibly() throws InterruptedException {
			tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
		}

		@Override
		public final boolean tryLock() {
			return acquire(this.registry.options, Lock::tryLock);
		}

		@Override
		public final boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return this.<InterruptedException>acquire(this.registry.options, (lock) -> lock.tryLock(time, unit));
		}

		/**
		 * Tries to acquire the lock with a time to live.
		 * @param waitTime the longest wait; zero or less means exactly one attempt
		 * @param ttl the lease
		 * @return whether this thread holds the lock now
		 * @throws InterruptedException if the thread was interrupted; the lock is
		 * unchanged
		 */
		final boolean tryLockFor(Duration waitTime, Duration ttl) throws InterruptedException {
			long wait = TimeUnit.NANOSECONDS.convert(waitTime);
			return this.<InterruptedException>acquire(this.registry.options(ttl),
					(lock) -> lock.tryLock(wait, TimeUnit.NANOSECONDS));
		}

		@Override
		public final void unlock() {
			try {
				this.registry.locks.get(this.key, this.registry.options).unlock();
			}
			catch (LockLostException ex) {
				throw new ConcurrentModificationException(
						"Lock at '%s' is lost. The integrity of data protected by this lock may have been compromised"
							.formatted(LogSafe.of(this.key)),
						ex);
			}
			catch (IllegalMonitorStateException ex) {
				throw notOwned(this.key, ex);
			}
		}

		@Override
		public final Condition newCondition() {
			throw new UnsupportedOperationException("A distributed lock has no conditions");
		}

		private <E extends Exception> boolean acquire(LockOptions options, Attempt<E> attempt) throws E {
			DistributedLock lock = this.registry.locks.get(this.key, options);
			// Otherwise, the heartbeat of a leader initiator, which locks and unlocks,
			// would hide the loss from it
			if (lock.holdCount() > 0 && !lock.isHeldByCurrentThread()) {
				throw new CannotAcquireLockException(
						"Lock at '%s' is lost: unlock it before it is locked again".formatted(LogSafe.of(this.key)));
			}
			try {
				return attempt.on(lock);
			}
			catch (LockException ex) {
				throw new CannotAcquireLockException("Failed to lock at '%s'".formatted(LogSafe.of(this.key)), ex);
			}
		}

		@Override
		public final String toString() {
			return "RegistryLock[" + this.key + "]";
		}

		/**
		 * One way to acquire the lock.
		 *
		 * @param <E> the type of its exception
		 */
		private interface Attempt<E extends Exception> {

			boolean on(DistributedLock lock) throws E;

		}

	}

	/**
	 * Unlocks after a body, whose exception takes precedence.
	 */
	private interface Unlock extends AutoCloseable {

		@Override
		void close();

	}

}
