package io.lockable.engine.lock;

import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Internal;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.engine.command.LockMode;
import io.lockable.engine.command.StoreAccess;
import io.lockable.engine.lease.LocalQueues;
import io.lockable.store.LockStore;
import io.lockable.store.SharingLockStore;

/**
 * Makes the locks of an engine.
 */
@Internal
public final class DefaultLocks implements DistributedLocks {

	private final LockStore store;

	private final LockOptions defaults;

	private final LocalQueues queues;

	private final Acquirer acquirer;

	private final ThreadHolds holds = new ThreadHolds();

	private final ThreadHolds shares = new ThreadHolds();

	/**
	 * Creates the locks.
	 * @param store where they live
	 * @param defaults the options of {@link #get(String)}
	 * @param queues the keys of the instance
	 * @param acquirer acquires leases
	 */
	public DefaultLocks(LockStore store, LockOptions defaults, LocalQueues queues, Acquirer acquirer) {
		this.store = store;
		this.defaults = defaults;
		this.queues = queues;
		this.acquirer = acquirer;
	}

	@Override
	public DistributedLock get(String key) {
		return get(key, this.defaults);
	}

	@Override
	public DistributedLock get(String key, LockOptions options) {
		return lock(key, options);
	}

	@Override
	public DistributedLock getAll(Collection<String> keys, LockOptions options) {
		Objects.requireNonNull(keys, "'keys' must not be null");
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("'keys' must not be empty");
		}
		keys.forEach((key) -> check(key, options));
		List<KeyLock> locks = keys.stream().distinct().sorted().map((key) -> lock(key, options)).toList();
		return (locks.size() == 1) ? locks.get(0) : new AllLocks(locks, options, this.acquirer, this.queues);
	}

	@Override
	public DistributedReadWriteLock getReadWriteLock(String key, LockOptions options) {
		requireSharing();
		KeyLock write = lock(key, options);
		ThreadSide readers = ThreadSide.ofShare(key, this.holds, this.shares, this.acquirer);
		StoreAccess access = this.queues.store();
		KeyLock read = new KeyLock(key, options, this.acquirer.of(LockMode.SHARE), readers,
				(name) -> readers.isCovered() ? access.isLocked(name) : access.isShared(name));
		return new DefaultReadWriteLock(read, write);
	}

	@Override
	public DistributedSemaphore getSemaphore(String key, int permits, LockOptions options) {
		requireSharing();
		check(key, options);
		if (permits < 1) {
			throw new IllegalArgumentException("'permits' must be at least 1, was " + permits);
		}
		return new DefaultSemaphore(key, permits, options, this.acquirer.of(LockMode.oneOf(permits)));
	}

	private KeyLock lock(String key, LockOptions options) {
		check(key, options);
		return new KeyLock(key, options, this.acquirer, ThreadSide.ofAll(key, this.holds, this.shares, this.acquirer),
				this.queues.store()::isLocked);
	}

	private void check(String key, LockOptions options) {
		Objects.requireNonNull(options, "'options' must not be null");
		check(key);
	}

	/**
	 * Checks that a lock may have this name.
	 * @param key the full name
	 * @throws LockKeyException if it may not
	 */
	public void check(String key) {
		Objects.requireNonNull(key, "'key' must not be null");
		if (key.isBlank()) {
			throw new LockKeyException("'key' must not be blank: all callers with a blank key would share one lock");
		}
		this.store.checkKey(key);
	}

	private void requireSharing() {
		if (!(this.store instanceof SharingLockStore)) {
			throw new UnsupportedOperationException(
					"%s cannot share a lock among several holders: use a SharingLockStore for read/write locks and semaphores"
						.formatted(this.store.getClass().getSimpleName()));
		}
	}

}
