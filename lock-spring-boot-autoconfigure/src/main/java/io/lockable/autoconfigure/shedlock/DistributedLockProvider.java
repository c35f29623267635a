package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock provider of ShedLock on {@link DistributedLocks}. {@code lockAtMostFor} is a
 * lease without renewal. {@code lockAtLeastFor} is the minimum time that the lock stays
 * held, even after its job ends. Both count from the acquisition or extension, by the
 * clock of the store.
 *
 * <p>
 * If another owner holds the lock, the answer is empty at once. If the store fails, the
 * call throws {@link io.lockable.LockStoreException}, and the lock is not held.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

	/**
	 * The common name of the locks in meters and events. Names of single locks may come
	 * from arguments, so their number is unlimited.
	 */
	private static final String NAME = "shedlock";

	/**
	 * The shortest possible lease.
	 */
	private static final Duration MIN_LEASE = Duration.ofMillis(10);

	private final DistributedLocks locks;

	private final String prefix;

	/**
	 * Creates a provider.
	 * @param locks the locks
	 * @param prefix the prefix of each lock name in the store, such as
	 * {@code "disLock:shedlock:"}. Providers with the same prefix share their locks
	 */
	public DistributedLockProvider(DistributedLocks locks, String prefix) {
		this.locks = Objects.requireNonNull(locks, "'locks' must not be null");
		this.prefix = Objects.requireNonNull(prefix, "'prefix' must not be null");
	}

	/**
	 * Tries once to acquire a lock. Blocks until the store answers.
	 * @throws io.lockable.LockStoreException if the store failed; the lock is not held
	 * @throws IllegalArgumentException if {@code lockAtMostFor} is zero, because the lock
	 * would exclude no other owner
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration lockConfiguration) {
		LockOptions options = LockOptions.defaults()
			.withLease(lease(lockConfiguration))
			.withRenewal(Renewal.OFF)
			.withMinHold(minHold(lockConfiguration))
			.withName(NAME);
		return this.locks.get(this.prefix + lockConfiguration.getName(), options)
			.tryAcquire()
			.map((lease) -> new LeaseLock(lockConfiguration, lease, null));
	}

	/**
	 * Returns the configured lease, limited to the valid range of leases.
	 * @param configuration the configuration of ShedLock
	 * @return the lease
	 */
	static Duration lease(LockConfiguration configuration) {
		Duration wanted = configuration.getLockAtMostFor();
		if (wanted.isZero()) {
			throw new IllegalArgumentException("'lockAtMostFor' of lock '%s' must be positive, was %s"
				.formatted(LogSafe.of(configuration.getName()), DurationText.of(wanted)));
		}
		return atMost((wanted.compareTo(MIN_LEASE) < 0) ? MIN_LEASE : wanted);
	}

	/**
	 * Returns the configured minimum hold, limited to its valid range.
	 * @param configuration the configuration of ShedLock
	 * @return the minimum hold
	 */
	private static Duration minHold(LockConfiguration configuration) {
		return atMost(configuration.getLockAtLeastFor());
	}

	private static Duration atMost(Duration wanted) {
		return (wanted.compareTo(LockOptions.MAX_LEASE) > 0) ? LockOptions.MAX_LEASE : wanted;
	}

	@Override
	public String toString() {
		return "DistributedLockProvider[" + this.prefix + "]";
	}

	/**
	 * A lock of ShedLock: a lease with the minimum hold {@code lockAtLeastFor}. An
	 * extension is another lock on the same lease, which makes this one invalid. Its
	 * {@code lockAtLeastFor} counts from the extension.
	 */
	private static final class LeaseLock extends AbstractSimpleLock {

		private final Lease lease;

		private final @Nullable Duration leftWhenExtended;

		LeaseLock(LockConfiguration configuration, Lease lease, @Nullable Duration leftWhenExtended) {
			super(configuration);
			this.lease = lease;
			this.leftWhenExtended = leftWhenExtended;
		}

		/**
		 * Releases the lock, or keeps it until the end of the minimum hold. A lost lease
		 * throws no exception: the loss has been reported, and it does not fail a
		 * completed job.
		 */
		@Override
		protected void doUnlock() {
			if (this.leftWhenExtended == null) {
				this.lease.close();
				return;
			}
			// On the clock of the lease, which is never renewed
			Duration passed = this.leftWhenExtended.minus(this.lease.remaining());
			Duration rest = minHold(this.lockConfiguration).minus(passed);
			try {
				this.lease.releaseAfter(rest.isNegative() ? Duration.ZERO : rest);
			}
			catch (LockStoreException ex) {
				// Has the same outcome, but logs it.
				this.lease.close();
			}
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
			if (!this.lease.extend(lease(newConfiguration))) {
				return Optional.empty();
			}
			return Optional.of(new LeaseLock(newConfiguration, this.lease, this.lease.remaining()));
		}

		@Override
		public String toString() {
			return "LeaseLock[" + this.lease.key() + "]";
		}

	}

}
