package io.lockable;

/**
 * A lease that can be returned unused.
 */
@Internal
public interface ReturnableLease extends Lease {

	/**
	 * Marks the lease as unused: no work runs under it, for example because another
	 * required lock was refused. Neither {@link LockOptions#minHold()} nor
	 * {@link #releaseAfter} then keeps the lock at its release.
	 * @return this lease, to release
	 */
	ReturnableLease unused();

	/**
	 * Marks a lease as unused, if it is returnable.
	 * @param lease the lease
	 */
	static void unused(Lease lease) {
		if (lease instanceof ReturnableLease returnable) {
			returnable.unused();
		}
	}

}
