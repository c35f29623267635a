package io.lockable.test;

import io.lockable.DistributedLock;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about a {@link DistributedLock}.
 *
 * @since 0.1.0
 * @see LockAssertions
 */
public final class DistributedLockAssert extends LockAssert<DistributedLockAssert, DistributedLock> {

	DistributedLockAssert(@Nullable DistributedLock actual) {
		super(actual, DistributedLockAssert.class);
	}

	/**
	 * Verifies that an owner holds the lock, by a query to the store.
	 * @return this assertion
	 */
	public DistributedLockAssert isLocked() {
		isNotNull();
		return check(this.actual.isLocked(), "Expected lock '%s' to be held by an owner, but it is free",
				this.actual.key());
	}

	/**
	 * Verifies that the lock is free, by a query to the store.
	 * @return this assertion
	 */
	public DistributedLockAssert isFree() {
		isNotNull();
		return check(!this.actual.isLocked(), "Expected lock '%s' to be free, but it is held by %s", this.actual.key(),
				this.actual.isHeldByCurrentThread() ? "this thread" : "another owner");
	}

	/**
	 * Verifies that the current thread holds the lock through {@code lock}, {@code run},
	 * {@code call} or an annotated method.
	 * @return this assertion
	 */
	public DistributedLockAssert isHeldByCurrentThread() {
		isNotNull();
		return check(this.actual.isHeldByCurrentThread(), "Expected lock '%s' to be held by thread '%s', but %s",
				this.actual.key(), Thread.currentThread().getName(), whyNotHeld());
	}

	private String whyNotHeld() {
		if (this.actual.holdCount() > 0) {
			return "its lease is lost";
		}
		return this.actual.isLocked() ? "it is held by another thread, by a Lease or by another instance"
				: "it is free";
	}

	/**
	 * Verifies that the current thread does not hold the lock.
	 * @return this assertion
	 */
	public DistributedLockAssert isNotHeldByCurrentThread() {
		isNotNull();
		return check(!this.actual.isHeldByCurrentThread(),
				"Expected lock '%s' not to be held by thread '%s', but it is, %d times", this.actual.key(),
				Thread.currentThread().getName(), this.actual.holdCount());
	}

	/**
	 * Verifies how often the current thread holds the lock.
	 * @param expected the expected count
	 * @return this assertion
	 */
	public DistributedLockAssert hasHoldCount(int expected) {
		isNotNull();
		int count = this.actual.holdCount();
		return check(count == expected,
				"Expected lock '%s' to be held %d times by thread '%s', but it is held %d times", this.actual.key(),
				expected, Thread.currentThread().getName(), count);
	}

}
