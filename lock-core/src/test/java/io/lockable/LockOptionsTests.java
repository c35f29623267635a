package io.lockable;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests for {@link LockOptions}.
 */
class LockOptionsTests {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	@Test
	void defaultsAreARenewedLeaseOfTenSecondsAndOneTry() {
		assertThat(DEFAULTS).returns(Duration.ofSeconds(10), LockOptions::lease)
			.returns(Duration.ZERO, LockOptions::waitTime)
			.returns(Renewal.ON, LockOptions::renewal)
			.returns(LockOptions.UNLIMITED, LockOptions::maxHold)
			.returns(false, LockOptions::fair)
			.returns(ReleaseMode.CONFIRMED, LockOptions::release)
			.returns(Duration.ZERO, LockOptions::minHold)
			.returns(Duration.ZERO, LockOptions::retain)
			.returns(LockOptions.NO_NAME, LockOptions::name);
	}

	@Test
	void withersChangeOneThingOnly() {
		Duration minute = Duration.ofMinutes(1);
		LockOptions changed = DEFAULTS.withLease(minute)
			.withWaitTime(Duration.ofSeconds(5))
			.withMaxHold(Duration.ofHours(1))
			.withFair(true)
			.withRelease(ReleaseMode.PIPELINED)
			.withMinHold(Duration.ofMinutes(2))
			.withName("nightly");
		assertThat(changed).returns(minute, LockOptions::lease)
			.returns(Duration.ofSeconds(5), LockOptions::waitTime)
			.returns(Renewal.ON, LockOptions::renewal)
			.returns(Duration.ofHours(1), LockOptions::maxHold)
			.returns(true, LockOptions::fair)
			.returns(ReleaseMode.PIPELINED, LockOptions::release)
			.returns(Duration.ofMinutes(2), LockOptions::minHold)
			.returns("nightly", LockOptions::name)
			.isEqualTo(changed.withName("nightly"))
			.hasSameHashCodeAs(changed.withName("nightly"))
			.isNotEqualTo(DEFAULTS);
		assertThat(changed.toString()).startsWith("LockOptions[lease=PT1M");
		assertThat(LockOptions.defaults()).isSameAs(DEFAULTS);
	}

	@Test
	void leaseOutsideOfItsRangeIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withLease(Duration.ofMillis(10).minusNanos(1)))
			.withMessage("'lease' must be between 10ms and 365d, was 9.999999ms");
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withLease(Duration.ofSeconds(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withLease(LockOptions.MAX_LEASE.plusNanos(1)));
		assertThat(DEFAULTS.withLease(Duration.ofMillis(10)).lease()).hasMillis(10);
		assertThat(DEFAULTS.withLease(LockOptions.MAX_LEASE).lease()).hasDays(365);
	}

	@Test
	void blankNameIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withName(" "))
			.withMessage("'name' must not be blank");
	}

	@Test
	void negativeWaitIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withWaitTime(Duration.ofMillis(-1)))
			.withMessage("'waitTime' must not be negative, was -1ms");
	}

	@Test
	void longestHoldBelowTheLeaseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withMaxHold(Duration.ofSeconds(9)))
			.withMessage("'maxHold' must be at least the lease of 10s, was 9s");
		assertThat(DEFAULTS.withMaxHold(Duration.ofSeconds(10)).maxHold()).hasSeconds(10);
	}

	@Test
	void maxHoldWithoutRenewalIsRefused() {
		Duration hour = Duration.ofHours(1);
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withRenewal(Renewal.OFF).withMaxHold(hour))
			.withMessage("'maxHold' requires renewal, but renewal is off, was 1h");
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withMaxHold(hour).withRenewal(Renewal.OFF))
			.withMessage("'maxHold' requires renewal, but renewal is off, was 1h");
		assertThat(DEFAULTS.withMaxHold(hour).withMaxHold(LockOptions.UNLIMITED).withRenewal(Renewal.OFF).renewal())
			.isEqualTo(Renewal.OFF);
	}

	@Test
	void withersKeepTheRenewal() {
		LockOptions unrenewed = DEFAULTS.withRenewal(Renewal.OFF);
		assertThat(List.of(unrenewed.withLease(Duration.ofSeconds(1)), unrenewed.withWaitTime(Duration.ofSeconds(1)),
				unrenewed.withMaxHold(LockOptions.UNLIMITED), unrenewed.withFair(true),
				unrenewed.withRelease(ReleaseMode.PIPELINED), unrenewed.withMinHold(Duration.ofSeconds(1)),
				unrenewed.withRetain(Duration.ZERO), unrenewed.withName("nightly")))
			.extracting(LockOptions::renewal)
			.containsOnly(Renewal.OFF);
	}

	@Test
	void whatIsLongerThanUnlimitedIsUnlimited() {
		Duration longer = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(DEFAULTS.withWaitTime(longer).waitTime()).isEqualTo(LockOptions.UNLIMITED);
		assertThat(DEFAULTS.withMaxHold(longer).maxHold()).isEqualTo(LockOptions.UNLIMITED);
	}

	@Test
	void nullsAreRefused() {
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withLease(null)).withMessageContaining("'lease'");
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withWaitTime(null))
			.withMessageContaining("'waitTime'");
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withRenewal(null))
			.withMessageContaining("'renewal'");
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withMaxHold(null))
			.withMessageContaining("'maxHold'");
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withRelease(null))
			.withMessageContaining("'release'");
	}

	@Test
	void shortestHoldOutsideOfItsRangeIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withMinHold(Duration.ofMillis(-1)))
			.withMessage("'minHold' must be between 0s and 365d, was -1ms");
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withMinHold(LockOptions.MAX_LEASE.plusNanos(1)));
	}

	@Test
	void retentionChangesOneThingOnly() {
		Duration minute = Duration.ofMinutes(1);
		LockOptions retaining = DEFAULTS.withName("nightly").withMinHold(minute).withRetain(Duration.ofSeconds(5));
		assertThat(retaining.retain()).hasSeconds(5);
		assertThat(retaining).returns(minute, LockOptions::minHold)
			.returns("nightly", LockOptions::name)
			.isEqualTo(retaining.withRetain(Duration.ofSeconds(5)))
			.hasSameHashCodeAs(retaining.withRetain(Duration.ofSeconds(5)))
			.isNotEqualTo(retaining.withRetain(Duration.ofSeconds(6)));
		assertThat(retaining.toString()).contains(", retain=PT5S,");
		assertThat(retaining.withRetain(Duration.ZERO).withRetain(Duration.ofSeconds(5))).isEqualTo(retaining);
	}

	@Test
	void withersKeepTheRetention() {
		LockOptions retaining = DEFAULTS.withRetain(Duration.ofSeconds(5));
		assertThat(List.of(retaining.withLease(Duration.ofSeconds(1)), retaining.withWaitTime(Duration.ofSeconds(1)),
				retaining.withRenewal(Renewal.ON), retaining.withMaxHold(Duration.ofHours(1)),
				retaining.withFair(false), retaining.withRelease(ReleaseMode.PIPELINED),
				retaining.withMinHold(Duration.ofSeconds(1)), retaining.withName("nightly")))
			.extracting(LockOptions::retain)
			.containsOnly(Duration.ofSeconds(5));
	}

	@Test
	void retentionOutsideOfItsRangeIsRefused() {
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withRetain(null)).withMessageContaining("'retain'");
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withRetain(Duration.ofMillis(-1)))
			.withMessage("'retain' must be between 0s and 365d, was -1ms");
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withRetain(LockOptions.MAX_LEASE.plusNanos(1)));
		assertThat(DEFAULTS.withRetain(LockOptions.MAX_LEASE).retain()).hasDays(365);
	}

	@Test
	void retentionOfALockThatIsFairOrNotRenewedIsRefused() {
		LockOptions retaining = DEFAULTS.withRetain(Duration.ofSeconds(5));
		assertThatIllegalArgumentException().isThrownBy(() -> retaining.withFair(true))
			.withMessage("'retain' must be zero for a lock that is fair or not renewed, was 5s");
		assertThatIllegalArgumentException().isThrownBy(() -> retaining.withRenewal(Renewal.OFF))
			.withMessage("'retain' must be zero for a lock that is fair or not renewed, was 5s");
		LockOptions without = retaining.withRetain(Duration.ZERO);
		assertThat(without.withFair(true).withRenewal(Renewal.OFF).retain()).isZero();
	}

}
