package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock of ShedLock: a lease, whose shortest hold is {@code lockAtLeastFor}. An
 * extension is another lock on the same lease, after which this one is of no use; it
 * counts its {@code lockAtLeastFor} anew.
 */
final class LeaseLock extends AbstractSimpleLock {

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
	 * lease that was lost meanwhile was told when that became known: a job that is done
	 * has not failed by that.
	 */
	@Override
	protected void doUnlock() {
		if (this.leftWhenExtended == null) {
			this.lease.close();
			return;
		}
		// On the clock of the lease, which nothing renews
		Duration passed = this.leftWhenExtended.minus(this.lease.remaining());
		Duration rest = DistributedLockProvider.minHold(this.lockConfiguration).minus(passed);
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
		if (!this.lease.extend(DistributedLockProvider.lease(newConfiguration))) {
			return Optional.empty();
		}
		return Optional.of(new LeaseLock(newConfiguration, this.lease, this.lease.remaining()));
	}

	@Override
	public String toString() {
		return "LeaseLock[" + this.lease.key() + "]";
	}

}
