package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.KeyState.Retention;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link KeyState}: what the shell asks.
 */
class KeyStateTests {

	private static final long NOW = RuleTable.NOW;

	private static final Holding LEASED = RuleTable.leased(RuleTable.A);

	private static final Holding SENT = LEASED
		.with(new Transferring(new Transfer("a", "b", RuleTable.LEASE, NOW), null))
		.with(new Leased("b", RuleTable.LEASE, Duration.ZERO));

	@Test
	void onlyTheHolderHasTheLock() {
		assertThat(LEASED.isLeasedTo("a")).isTrue();
		assertThat(LEASED.isLeasedTo("b")).isFalse();
		assertThat(SENT.isLeasedTo("b")).isTrue();
		assertThat(RuleTable.RETIRED.isLeasedTo("a")).isFalse();
	}

	@Test
	void onlyALockThatIsHeldHasADeadline() {
		assertThat(LEASED.deadline()).isEqualTo(RuleTable.VALID);
		assertThatIllegalStateException().isThrownBy(RuleTable.RETIRED::deadline).withMessage("The lock is not held");
	}

	@Test
	void ownerTokenIsExtensibleWithoutATransfer() {
		assertThat(LEASED.extensible()).isEqualTo("a");
		assertThat(SENT.extensible()).isNull();
		assertThat(RuleTable.RETIRED.extensible()).isNull();
		assertThat(LEASED.isTransferring("a")).isFalse();
		assertThat(SENT.isTransferring("a")).isFalse();
		assertThat(SENT.isTransferring("b")).isTrue();
	}

	@Test
	void lockIsRetainedUntilItsTimeOrTheLocalDeadline() {
		KeyState retained = LEASED.with(new Retained(NOW + 5));
		assertThat(retained.retained(NOW)).isEqualTo(new Retention("a", Duration.ofNanos(5)));
		assertThat(retained.retained(NOW + 4)).isNotNull();
		assertThat(retained.retained(NOW + 5)).isNull();
		assertThat(SENT.with(new Retained(Long.MAX_VALUE / 4)).retained(NOW))
			.isEqualTo(new Retention("b", Duration.ofNanos(RuleTable.VALID - NOW)));
		assertThat(LEASED.retained(NOW)).isNull();
		assertThat(RuleTable.RETIRED.retained(NOW)).isNull();
	}

}
