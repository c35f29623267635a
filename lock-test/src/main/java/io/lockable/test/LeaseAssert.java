package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about a {@link Lease}. They send no command to the store.
 *
 * @since 0.1.0
 * @see LockAssertions
 */
public final class LeaseAssert extends LockAssert<LeaseAssert, Lease> {

	// Another thread reports a loss, right after the lease has ended.
	private static final int TELLING_SECONDS = 2;

	LeaseAssert(@Nullable Lease actual) {
		super(actual, LeaseAssert.class);
	}

	/**
	 * Verifies that the lease holds its lock.
	 * @return this assertion
	 */
	public LeaseAssert isHeld() {
		isNotNull();
		return check(this.actual.isHeld(), "Expected the lease of lock '%s' to be held, but %s", this.actual.key(),
				state());
	}

	/**
	 * Verifies that the lease no longer holds its lock: it is released, lost or expired.
	 * @return this assertion
	 */
	public LeaseAssert isNotHeld() {
		isNotNull();
		return check(!this.actual.isHeld(), "Expected the lease of lock '%s' not to be held, but %s", this.actual.key(),
				state());
	}

	/**
	 * Verifies that the lease is lost, and that the loss is reported.
	 * @return this assertion
	 */
	public LeaseAssert isLost() {
		loss("to be lost");
		return this;
	}

	/**
	 * Verifies that the lease is lost, and that the loss is reported with a reason.
	 * @param reason the expected reason
	 * @return this assertion
	 */
	public LeaseAssert isLostBecause(LockLost.Reason reason) {
		LockLost loss = loss("to be lost with reason " + reason);
		return check(loss.reason() == reason,
				"Expected the lease of lock '%s' to be lost with reason %s, but the reason is %s", this.actual.key(),
				reason, loss.reason());
	}

	private LockLost loss(String expected) {
		isNotNull();
		LockLost loss = reportedLoss(this.actual.isHeld() ? 0 : TELLING_SECONDS);
		if (loss == null) {
			throw failure("Expected the lease of lock '%s' %s, but %s", this.actual.key(), expected, state());
		}
		return loss;
	}

	/**
	 * Verifies that at least the given time of the lease is left without renewal.
	 * @param expected the minimum time
	 * @return this assertion
	 */
	public LeaseAssert hasAtLeast(Duration expected) {
		isNotNull();
		return check(this.actual.remaining().compareTo(expected) >= 0,
				"Expected the lease of lock '%s' to live at least %s, but %s", this.actual.key(),
				DurationText.of(expected), state());
	}

	/**
	 * Verifies that the lease was granted later than one with the given fencing token.
	 * @param token the other fencing token of the same key
	 * @return this assertion
	 */
	public LeaseAssert hasFencingTokenGreaterThan(long token) {
		isNotNull();
		return check(this.actual.fencingToken() > token,
				"Expected the lease of lock '%s' to have a fencing token greater than %d, but it is %d",
				this.actual.key(), token, this.actual.fencingToken());
	}

	/**
	 * Verifies that the lease was granted later than another one of the same key.
	 * @param earlier the other lease
	 * @return this assertion
	 */
	public LeaseAssert hasFencingTokenGreaterThan(Lease earlier) {
		isNotNull();
		check(earlier.key().equals(this.actual.key()),
				"Fencing tokens compare within one key only, but the leases are of '%s' and '%s'", this.actual.key(),
				earlier.key());
		return hasFencingTokenGreaterThan(earlier.fencingToken());
	}

	private String state() {
		if (this.actual.isHeld()) {
			return "it is held, for another %s without renewal".formatted(DurationText.of(this.actual.remaining()));
		}
		LockLost loss = reportedLoss(0);
		return (loss != null) ? "it is lost, with reason %s".formatted(loss.reason())
				: "it was released, or its loss was not reported yet";
	}

	private @Nullable LockLost reportedLoss(int seconds) {
		return this.actual.lost()
			.<@Nullable LockLost>thenApply((loss) -> loss)
			.toCompletableFuture()
			.completeOnTimeout(null, seconds, TimeUnit.SECONDS)
			.exceptionally((failure) -> null)
			.join();
	}

}
