package io.lockable.test;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import org.jspecify.annotations.Nullable;

/**
 * AssertJ assertions about locks and leases, for use beside AssertJ's own.
 * <pre class="code">
 * import static io.lockable.test.LockAssertions.assertThat;
 * import static org.assertj.core.api.Assertions.assertThat;
 * </pre>
 *
 * @since 0.1.0
 */
public final class LockAssertions {

	private LockAssertions() {
	}

	/**
	 * Starts an assertion about a lock.
	 * @param actual the lock
	 * @return the assertion
	 */
	public static DistributedLockAssert assertThat(@Nullable DistributedLock actual) {
		return new DistributedLockAssert(actual);
	}

	/**
	 * Starts an assertion about a lease.
	 * @param actual the lease
	 * @return the assertion
	 */
	public static LeaseAssert assertThat(@Nullable Lease actual) {
		return new LeaseAssert(actual);
	}

}
