package io.lockable.engine.lock;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.LockMode;
import io.lockable.store.LockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The factory of the locks of an engine.
 */
public final class DefaultLocks implements DistributedLocks {

	private final LockStore store;

	private final LockOptions defaults;

	private final Acquirer acquirer;

	private final ThreadHolds holds = new ThreadHolds();

	private final ThreadHolds shares = new ThreadHolds();

	/**
	 * Creates the factory.
	 * @param store the store of the locks
	 * @param defaults the options of {@link #get(String)}
	 * @param requestId supplies the request id of the calling thread, or {@code null}
	 * @param shells the keys of the instance
	 */
	public DefaultLocks(LockStore store, LockOptions defaults, Supplier<@Nullable String> requestId, KeyShells shells) {
		this.store = store;
		this.defaults = defaults;
		this.acquirer = new Acquirer(shells, new OwnerTokens(requestId, shells.store().instance(),
				shells.store().address(), shells.parts().runtime()), LockMode.ALL);
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
		requireNotRetained(options, "A lock of several keys");
		List<KeyLock> locks = keys.stream()
			.distinct()
			.map((key) -> lock(key, options))
			.sorted(Comparator.comparing(KeyLock::key))
			.toList();
		return (locks.size() == 1) ? locks.get(0) : new MultiLock(locks, options, this.acquirer);
	}

	@Override
	public DistributedReadWriteLock getReadWriteLock(String key, LockOptions options) {
		requireSharing();
		requireNotRetained(options, "A read/write lock");
		KeyLock write = lock(key, options);
		KeyLock read = new KeyLock(key, options, this.acquirer.of(LockMode.SHARE), this.shares, this.holds);
		return new DefaultReadWriteLock(read, write);
	}

	@Override
	public DistributedSemaphore getSemaphore(String key, int permits, LockOptions options) {
		requireSharing();
		requireNotRetained(options, "A semaphore");
		check(key);
		if (permits < 1) {
			throw new IllegalArgumentException("'permits' must be at least 1, was " + permits);
		}
		ThreadHolds none = new ThreadHolds();
		return new DefaultSemaphore(new KeyLock(key, options, this.acquirer.of(LockMode.oneOf(permits)), none, none),
				permits);
	}

	/**
	 * Returns the leases of the current thread, lost ones included.
	 * @return the leases of locks and shares that it has not unlocked
	 */
	public List<Lease> threadLeases() {
		List<LocalLease> leases = this.holds.leases();
		leases.addAll(this.shares.leases());
		long deadline = this.acquirer.store().answerDeadline();
		leases.forEach((lease) -> lease.awaitTransfer(deadline));
		return List.copyOf(leases);
	}

	private KeyLock lock(String key, LockOptions options) {
		Objects.requireNonNull(options, "'options' must not be null");
		check(key);
		if (!options.retain().isZero() && this.acquirer.store().address() == null) {
			throw new IllegalArgumentException(
					"%s cannot retain locks: use a RecallingLockStore that does not wait for replicas, or set 'retain' to zero"
						.formatted(this.store.getClass().getSimpleName()));
		}
		return new KeyLock(key, options, this.acquirer, this.holds, this.shares);
	}

	/**
	 * Validates the name of a lock.
	 * @param key the full name
	 * @throws LockKeyException if it is invalid
	 */
	public void check(String key) {
		Objects.requireNonNull(key, "'key' must not be null");
		if (key.isBlank()) {
			throw new LockKeyException("'key' must not be blank: all callers with a blank key would share one lock");
		}
		// In UTF-8, each half becomes the same replacement: different keys would share a
		// lock.
		if (key.codePoints().anyMatch((each) -> Character.getType(each) == Character.SURROGATE)) {
			throw new LockKeyException(
					"'key' must be well-formed Unicode, but has half of a surrogate pair: '%s'".formatted(key));
		}
		this.store.checkKey(key);
	}

	private static void requireNotRetained(LockOptions options, String kind) {
		Objects.requireNonNull(options, "'options' must not be null");
		if (!options.retain().isZero()) {
			throw new IllegalArgumentException("%s cannot be retained: set 'retain' to zero, was %s".formatted(kind,
					DurationText.of(options.retain())));
		}
	}

	private void requireSharing() {
		if (!(this.store instanceof SharingLockStore)) {
			throw new UnsupportedOperationException(
					"%s cannot share a lock among several holders: use a SharingLockStore for read/write locks and semaphores"
						.formatted(this.store.getClass().getSimpleName()));
		}
	}

}
