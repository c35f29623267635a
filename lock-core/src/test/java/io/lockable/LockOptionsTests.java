package io.lockable;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

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
		assertThat(DEFAULTS).isEqualTo(new LockOptions(Duration.ofSeconds(10), Duration.ZERO, Renewal.ON,
				LockOptions.UNLIMITED, false, ReleaseMode.CONFIRMED, Duration.ZERO, Duration.ZERO, "none"));
	}

	@Test
	void withersChangeOneThingOnly() {
		LockOptions options = new LockOptions(Duration.ofSeconds(10), Duration.ofSeconds(1), Renewal.ON,
				Duration.ofHours(1), false, ReleaseMode.PIPELINED, Duration.ofSeconds(2), Duration.ofSeconds(3),
				"nightly");
		assertThat(DEFAULTS.withName("nightly")
			.withRetain(Duration.ofSeconds(3))
			.withMinHold(Duration.ofSeconds(2))
			.withRelease(ReleaseMode.PIPELINED)
			.withFair(false)
			.withMaxHold(Duration.ofHours(1))
			.withRenewal(Renewal.ON)
			.withWaitTime(Duration.ofSeconds(1))
			.withLease(Duration.ofSeconds(10))).isEqualTo(options);
		LockOptions fair = options.withRetain(Duration.ZERO).withFair(true);
		assertThat(fair.withMaxHold(LockOptions.UNLIMITED).withRenewal(Renewal.OFF).withLease(Duration.ofSeconds(4)))
			.isEqualTo(new LockOptions(Duration.ofSeconds(4), Duration.ofSeconds(1), Renewal.OFF, LockOptions.UNLIMITED,
					true, ReleaseMode.PIPELINED, Duration.ofSeconds(2), Duration.ZERO, "nightly"));
	}

	@Test
	void durationOutsideOfItsRangeIsRefused() {
		refuses((options) -> options.withLease(Duration.ofMillis(10).minusNanos(1)),
				"'lease' must be between 10ms and 365d, was 9.999999ms");
		refuses((options) -> options.withMinHold(Duration.ofMillis(-1)),
				"'minHold' must be between 0s and 365d, was -1ms");
		refuses((options) -> options.withRetain(Duration.ofMillis(-1)),
				"'retain' must be between 0s and 365d, was -1ms");
		refuses((options) -> options.withWaitTime(Duration.ofMillis(-1)), "'waitTime' must not be negative, was -1ms");
		refuses((options) -> options.withMaxHold(Duration.ofSeconds(9)),
				"'maxHold' must be at least the lease of 10s, was 9s");
		Duration tooLong = LockOptions.MAX_LEASE.plusSeconds(1);
		refuses((options) -> options.withLease(tooLong), "'lease' must be between 10ms and 365d, was 31536001s");
		refuses((options) -> options.withMinHold(tooLong), "'minHold' must be between 0s and 365d, was 31536001s");
		refuses((options) -> options.withRetain(tooLong), "'retain' must be between 0s and 365d, was 31536001s");
	}

	@Test
	void limitsOfTheRangesAreAccepted() {
		assertThat(DEFAULTS.withLease(Duration.ofMillis(10)).lease()).hasMillis(10);
		assertThat(DEFAULTS.withMaxHold(Duration.ofSeconds(10)).maxHold()).hasSeconds(10);
		LockOptions longest = DEFAULTS.withLease(LockOptions.MAX_LEASE)
			.withMinHold(LockOptions.MAX_LEASE)
			.withRetain(LockOptions.MAX_LEASE);
		assertThat(List.of(longest.lease(), longest.minHold(), longest.retain())).containsOnly(LockOptions.MAX_LEASE);
	}

	@Test
	void blankNameIsRefused() {
		refuses((options) -> options.withName(" "), "'name' must not be blank");
	}

	@Test
	void optionsThatExcludeEachOtherAreRefused() {
		Duration hour = Duration.ofHours(1);
		String unrenewed = "'maxHold' requires renewal, but renewal is off, was 1h";
		refuses((options) -> options.withRenewal(Renewal.OFF).withMaxHold(hour), unrenewed);
		refuses((options) -> options.withMaxHold(hour).withRenewal(Renewal.OFF), unrenewed);
		String retained = "'retain' must be zero for a lock that is fair or not renewed, was 1h";
		refuses((options) -> options.withRetain(hour).withFair(true), retained);
		refuses((options) -> options.withRetain(hour).withRenewal(Renewal.OFF), retained);
	}

	private static void refuses(Function<LockOptions, LockOptions> change, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> change.apply(DEFAULTS)).withMessage(message);
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
		assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withRenewal(null))
			.withMessageContaining("'renewal'");
	}

}
