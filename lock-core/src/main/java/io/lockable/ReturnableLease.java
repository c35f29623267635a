package io.lockable;

/**
 * A lease that can be given back unused.
 */
@Internal
public interface ReturnableLease extends Lease {

	/**
	 * Notes that no work was or will be done under this lease, as when another lock that
	 * is needed too was refused. Neither {@link LockOptions#minHold()} nor
	 * {@link #releaseAfter} then keeps the lock when it is released.
	 * @return this lease, to release
	 */
	ReturnableLease unused();

	/**
	 * Notes that no work was or will be done under a lease, if it can be given back
	 * unused.
	 * @param lease the lease
	 */
	static void unused(Lease lease) {
		if (lease instanceof ReturnableLease returnable) {
			returnable.unused();
		}
	}

}
