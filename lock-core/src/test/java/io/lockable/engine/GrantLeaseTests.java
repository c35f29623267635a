package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox.Grant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for grants with a shorter lease than the waiter requested: the holder extends it
 * after a third of that time, or immediately without renewal.
 */
class GrantLeaseTests {

	private static final Duration FIRST = Duration.ofSeconds(3);

	private static final LockOptions UNRENEWED = ScriptedInstance.WAITING.withRenewal(Renewal.OFF);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void holderCountsByTheLeaseOfTheGrantUntilItIsExtended() {
		Lease lease = granted(UNRENEWED);
		assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(FIRST);
		this.instance.advance(Duration.ZERO);
		Call extension = this.store.take(Command.EXTEND);
		assertThat(extension.owner()).isEqualTo(lease.owner());
		assertThat(extension.lease()).isEqualTo(UNRENEWED.lease());
		extension.say(true);
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void holdOfLessThanAThirdOfTheGrantSendsNoExtension() {
		Lease lease = granted(ScriptedInstance.WAITING);
		this.instance.advance(FIRST.dividedBy(4));
		assertThat(lease.remaining()).isBetween(FIRST.dividedBy(2), FIRST);
		lease.releaseAsync();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.calls(Command.EXTEND)).isEmpty();
	}

	@Test
	void longerHoldIsExtendedToItsLeaseAndThenRenewed() {
		Lease lease = granted(ScriptedInstance.WAITING);
		this.instance.advance(FIRST.dividedBy(3));
		this.store.take(Command.EXTEND).say(true);
		Duration whole = ScriptedInstance.WAITING.lease();
		assertThat(lease.remaining()).isGreaterThan(whole.multipliedBy(8).dividedBy(10));
		this.instance.advance(whole.dividedBy(3));
		Call renewal = this.store.take(Command.EXTEND);
		assertThat(renewal.lease()).isEqualTo(whole);
	}

	@Test
	void firstRenewalKeepsTheMaximumHold() {
		Duration whole = ScriptedInstance.WAITING.lease();
		granted(ScriptedInstance.WAITING.withMaxHold(whole));
		this.instance.advance(FIRST.dividedBy(3));
		assertThat(this.store.take(Command.EXTEND).lease()).isLessThanOrEqualTo(whole.minus(FIRST.dividedBy(4)));
	}

	@Test
	void grantOfWhichAThirdHasPassedIsRenewedImmediately() {
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, Duration.ofHours(1));
		this.instance.clock.advance(FIRST.dividedBy(3));
		grant();
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
		this.instance.advance(Duration.ZERO);
		assertThat(this.store.take(Command.EXTEND).lease()).isEqualTo(ScriptedInstance.WAITING.lease());
	}

	@Test
	void failedRenewalOfAGrantIsTriedAgain() {
		Lease lease = granted(ScriptedInstance.WAITING);
		this.instance.advance(FIRST.dividedBy(3));
		this.store.take(Command.EXTEND).fail(false);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.EXTEND).say(true);
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void leaseWithoutRenewalIsExtendedOnce() {
		Lease lease = granted(UNRENEWED);
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
		this.instance.advance(Duration.ZERO);
		for (int i = 0; i < 10; i++) {
			this.instance.advance(Duration.ofSeconds(1));
		}
		assertThat(this.store.calls(Command.EXTEND)).hasSize(1);
		assertThat(lease.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
	}

	@Test
	void firstExtensionThatFailsIsTriedAgain() {
		Lease lease = granted(UNRENEWED);
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND).fail(false);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.EXTEND).say(true);
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void waiterLooksAgainAtTheIntervalOfTheStore() {
		this.instance.queue(ScriptedInstance.WAITING, Duration.ofHours(1));
		this.instance.advance(this.store.lookInterval().minusMillis(1));
		assertThat(this.store.calls(Command.ENQUEUE)).hasSize(1);
		this.instance.advance(Duration.ofMillis(1));
		assertThat(this.store.calls(Command.ENQUEUE)).hasSize(2);
	}

	@Test
	void leaseOfAGrantIsPositive() {
		Granted granted = new Granted(1);
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> new Grant("k", "owner", granted, Duration.ZERO))
			.withMessageContaining("'lease' must be positive");
	}

	private Lease granted(LockOptions options) {
		CompletableFuture<Lease> waiting = this.instance.queue(options, Duration.ofHours(1));
		grant();
		return ScriptedInstance.get(waiting);
	}

	private void grant() {
		Call call = this.store.calls(Command.ENQUEUE).get(0);
		Granted granted = call.granted(7, false);
		this.store.inbox().granted(new Grant(call.key(), call.owner(), granted, FIRST));
	}

}
