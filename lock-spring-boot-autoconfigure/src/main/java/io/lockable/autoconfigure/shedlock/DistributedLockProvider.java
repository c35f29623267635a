package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import io.lockable.DistributedLocks;
import io.lockable.DurationText;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.LogSafe;
import io.lockable.Renewal;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock provider of ShedLock on {@link DistributedLocks}. {@code lockAtMostFor} is a
 * lease that is not renewed, and {@code lockAtLeastFor} is how long the lock stays locked
 * although its job is done; both count from the acquisition or extension, by the clock of
 * the store.
 *
 * <p>
 * A lock that another owner holds is an empty answer at once. A store that fails is a
 * {@link io.lockable.LockStoreException}, and then nothing is locked.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

	/**
	 * What meters and events call the locks. Not the name of each: ShedLock lets it come
	 * from arguments, and then there is no end to them.
	 */
	private static final String NAME = "shedlock";

	/**
	 * The shortest lease there is.
	 */
	private static final Duration MIN_LEASE = Duration.ofMillis(10);

	private final DistributedLocks locks;

	private final String prefix;

	/**
	 * Creates a provider.
	 * @param locks gives the locks
	 * @param prefix what stands before the name of each lock in the store, such as
	 * {@code "disLock:shedlock:"}. Providers with the same prefix share their locks
	 */
	public DistributedLockProvider(DistributedLocks locks, String prefix) {
		this.locks = Objects.requireNonNull(locks, "'locks' must not be null");
		this.prefix = Objects.requireNonNull(prefix, "'prefix' must not be null");
	}

	/**
	 * Tries once to lock.
	 * @throws io.lockable.LockStoreException if the store failed
	 * @throws IllegalArgumentException if {@code lockAtMostFor} is zero: the lock would
	 * exclude nobody
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
			.map((lease) -> new LeaseLock(lockConfiguration, lease));
	}

	/**
	 * Returns the lease that is meant, within what a lease can be.
	 * @param configuration what ShedLock asks for
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
	 * Returns the shortest hold that is meant, within what that can be.
	 * @param configuration what ShedLock asks for
	 * @return the shortest hold
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
	 * A lock of ShedLock: a lease, whose shortest hold is {@code lockAtLeastFor}. An
	 * extension is another lock on the same lease, after which this one is of no use; it
	 * counts its {@code lockAtLeastFor} anew.
	 */
	private static final class LeaseLock extends AbstractSimpleLock {

		private final Lease lease;

		private final @Nullable Duration leftWhenExtended;

		LeaseLock(LockConfiguration configuration, Lease lease) {
			this(configuration, lease, null);
		}

		private LeaseLock(LockConfiguration configuration, Lease lease, @Nullable Duration leftWhenExtended) {
			super(configuration);
			this.lease = lease;
			this.leftWhenExtended = leftWhenExtended;
		}

		/**
		 * Gives the lock back, or lets it end when it has been locked for long enough. A
		 * lease that was lost meanwhile was told when that became known: a job that is
		 * done has not failed by that.
		 */
		@Override
		protected void doUnlock() {
			if (this.leftWhenExtended == null) {
				this.lease.close();
				return;
			}
			// On the clock of the lease, which nothing renews
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
