package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLock;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LogSafe;

import org.springframework.dao.CannotAcquireLockException;

/**
 * A lock of a registry: the holds of the current thread on a key, with the exceptions of
 * Spring Integration's registries. It is stateless, so two objects for one key are the
 * same lock.
 */
class RegistryLock implements Lock {

	private final RegistryLocks registry;

	private final String key;

	RegistryLock(RegistryLocks registry, String key) {
		this.registry = registry;
		this.key = key;
	}

	@Override
	public final void lock() {
		lock(this.registry.options());
	}

	/**
	 * Acquires the lock with a time to live. Waits without limit, and ignores interrupts.
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
		this.<InterruptedException>acquire(this.registry.options(), (lock) -> {
			lock.lockInterruptibly();
			return true;
		});
	}

	@Override
	public final boolean tryLock() {
		return acquire(this.registry.options(), Lock::tryLock);
	}

	@Override
	public final boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.<InterruptedException>acquire(this.registry.options(), (lock) -> lock.tryLock(time, unit));
	}

	/**
	 * Tries to acquire the lock with a time to live.
	 * @param waitTime the longest wait; zero or less means exactly one attempt
	 * @param ttl the lease
	 * @return whether this thread holds the lock now
	 * @throws InterruptedException if the thread was interrupted; the lock is unchanged
	 */
	final boolean tryLockFor(Duration waitTime, Duration ttl) throws InterruptedException {
		long wait = TimeUnit.NANOSECONDS.convert(waitTime);
		return this.<InterruptedException>acquire(this.registry.options(ttl),
				(lock) -> lock.tryLock(wait, TimeUnit.NANOSECONDS));
	}

	@Override
	public final void unlock() {
		try {
			this.registry.lock(this.key).unlock();
		}
		catch (LockLostException ex) {
			throw new ConcurrentModificationException(
					"Lock at '%s' is lost. The integrity of data protected by this lock may have been compromised"
						.formatted(LogSafe.of(this.key)),
					ex);
		}
		catch (IllegalMonitorStateException ex) {
			throw notOwned(ex);
		}
	}

	@Override
	public final Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	/**
	 * Extends the lease to at least the given time from now.
	 * @param ttl the time
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.lockable.LockStoreException if the store failed
	 */
	final void renew(Duration ttl) {
		boolean renewed;
		try {
			renewed = this.registry.lock(this.key).lease().extend(ttl);
		}
		catch (IllegalMonitorStateException ex) {
			throw notOwned(ex);
		}
		if (!renewed) {
			throw new IllegalStateException("Could not renew lock at '%s': it is lost".formatted(LogSafe.of(this.key)));
		}
	}

	private <E extends Exception> boolean acquire(LockOptions options, Attempt<E> attempt) throws E {
		DistributedLock lock = this.registry.lock(this.key, options);
		try {
			return attempt.on(lock);
		}
		catch (LockException ex) {
			throw new CannotAcquireLockException("Failed to lock at '%s'".formatted(LogSafe.of(this.key)), ex);
		}
	}

	private IllegalStateException notOwned(IllegalMonitorStateException cause) {
		return new IllegalStateException("You do not own lock at '%s'".formatted(LogSafe.of(this.key)), cause);
	}

	@Override
	public final boolean equals(Object other) {
		return this == other
				|| (other instanceof RegistryLock that && this.registry == that.registry && this.key.equals(that.key));
	}

	@Override
	public final int hashCode() {
		return this.key.hashCode();
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
