package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A lock of ShedLock: a lease, and until when it is to stay locked. An extension is
 * another lock on the same lease, after which this one is of no use.
 */
final class LeaseLock extends AbstractSimpleLock {

	private final Lease lease;

	private final long since = System.nanoTime();

	LeaseLock(LockConfiguration configuration, Lease lease) {
		super(configuration);
		this.lease = lease;
	}

	/**
	 * Gives the lock back, or lets it end when it has been locked for long enough. A
	 * lease that was lost meanwhile was told when that became known: a job that is done
	 * has not failed by that.
	 */
	@Override
	protected void doUnlock() {
		Duration atLeast = this.lockConfiguration.getLockAtLeastFor();
		Duration rest = atLeast.minusNanos(System.nanoTime() - this.since);
		if (rest.isNegative() || rest.isZero()) {
			this.lease.close();
		}
		else {
			unlockAfter((rest.compareTo(LockOptions.MAX_LEASE) > 0) ? LockOptions.MAX_LEASE : rest);
		}
	}

	private void unlockAfter(Duration rest) {
		try {
			this.lease.releaseAfter(rest);
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
		return Optional.of(new LeaseLock(newConfiguration, this.lease));
	}

	@Override
	public String toString() {
		return "LeaseLock[" + this.lease.key() + "]";
	}

}
