package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.shell.KeyShell;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for renewals by the engine and explicit extensions.
 */
class RenewalTests {

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	private static final Duration THIRD = ONCE.lease().dividedBy(3);

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void leaseIsExtendedAtAThirdOfItsLength() {
		Lease lease = this.instance.hold(ONCE);
		this.instance.advance(THIRD.minusMillis(1));
		assertThat(this.store.calls(Command.EXTEND)).isEmpty();
		this.instance.advance(Duration.ofMillis(1));
		Call extension = this.store.take(Command.EXTEND);
		assertThat(extension.owner()).isEqualTo(lease.owner());
		assertThat(extension.lease()).isEqualTo(ONCE.lease());
		assertThat(lease.remaining()).isLessThan(ONCE.lease().minus(THIRD));
		extension.say(true);
		assertThat(lease.remaining()).isBetween(ONCE.lease().minusMillis(100), ONCE.lease());
	}

	@Test
	void extensionCountsFromItsSending() {
		Lease lease = this.instance.hold(ONCE);
		this.instance.advance(THIRD);
		Call extension = this.store.take(Command.EXTEND);
		this.instance.clock.advance(Duration.ofSeconds(2));
		extension.say(true);
		assertThat(lease.remaining()).isLessThan(ONCE.lease().minusSeconds(2));
	}

	@Test
	void renewalGoesOnAfterAnError() {
		Lease lease = this.instance.hold(ONCE);
		this.instance.advance(THIRD);
		this.store.take(Command.EXTEND).fail(false);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.EXTEND).fail(true);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.EXTEND).say(true);
		this.instance.advance(THIRD);
		this.store.take(Command.EXTEND).say(true);
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void failedRenewalIsReportedOnceForEachPeriod() {
		List<LockEvent.RenewalFailed> reported = new CopyOnWriteArrayList<>();
		try (ScriptedInstance reporting = new ScriptedInstance((event) -> {
			if (event instanceof LockEvent.RenewalFailed failed) {
				reported.add(failed);
			}
		})) {
			reporting.store.answering(Command.EXTEND, (call) -> call.fail(true));
			Lease lease = reporting.hold(ONCE);
			reporting.advance(THIRD);
			for (int i = 0; i < 20; i++) {
				reporting.advance(Duration.ofMillis(100));
			}
			assertThat(reporting.store.calls(Command.EXTEND)).hasSizeGreaterThan(10);
			Awaitility.await().untilAsserted(() -> assertThat(reported).hasSize(1));
			assertThat(reported.get(0).cause()).isInstanceOf(LockStoreException.class);
			reporting.advance(Duration.ofSeconds(1));
			Awaitility.await().untilAsserted(() -> assertThat(reported).hasSize(2));
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void renewalThatThrowsIsRepeated(boolean outOfMemory) {
		this.store.answering(Command.EXTEND, (call) -> {
			if (outOfMemory) {
				throw new OutOfMemoryError();
			}
			throw new IllegalStateException("Not connected");
		});
		Lease lease = this.instance.hold(ONCE);
		this.instance.advance(THIRD);
		this.store.take(Command.EXTEND);
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.EXTEND);
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void renewalsDueTogetherAreOneBatch() {
		for (int i = 0; i < 3; i++) {
			CompletableFuture<Lease> acquired = this.instance.engine.get("k" + i, ONCE).acquireAsync();
			this.store.take(Command.ACQUIRE).grant(1);
			ScriptedInstance.get(acquired);
			this.instance.advance(Duration.ofMillis(500));
		}
		this.instance.advance(THIRD.minusMillis(1_500));
		Call first = this.store.take(Command.EXTEND);
		assertThat(this.store.batches()).containsExactly(3);
		assertThat(first.key()).startsWith("k");
	}

	@Test
	void extensionThatFailsLeavesTheOthersOfItsBatchToTheirAnswers() {
		List<Lease> leases = new ArrayList<>();
		for (String key : List.of("a", "b")) {
			CompletableFuture<Lease> acquired = this.instance.engine.get(key, ONCE).acquireAsync();
			this.store.take(Command.ACQUIRE).grant(1);
			leases.add(ScriptedInstance.get(acquired));
		}
		this.instance.advance(THIRD);
		Call first = this.store.take(Command.EXTEND);
		Call second = this.store.take(Command.EXTEND);
		assertThat(this.store.batches()).containsExactly(2);
		first.fail(true);
		second.say(true);
		Lease extended = leases.get(second.key().equals("a") ? 0 : 1);
		assertThat(extended.remaining()).isBetween(ONCE.lease().minusMillis(100), ONCE.lease());
	}

	@Test
	void answerToARenewalThatTheReleaseOvertookIsNoLoss() {
		Lease lease = this.instance.hold(ONCE);
		this.instance.advance(THIRD);
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		assertThat(lease.release()).isTrue();
		this.store.take(Command.EXTEND).say(false);
		this.instance.advance(ONCE.lease());
		assertThat(this.instance.losses).isEmpty();
		assertThat(lease.lost().toCompletableFuture()).isNotDone();
	}

	@Test
	void maxHoldEndsTheRenewalAndIsTheReasonOfTheLoss() {
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
		Lease lease = this.instance.hold(ONCE.withMaxHold(Duration.ofSeconds(20)));
		for (int i = 0; i < 190; i++) {
			this.instance.advance(Duration.ofMillis(100));
		}
		assertThat(lease.isHeld()).isTrue();
		for (int i = 0; i < 10; i++) {
			this.instance.advance(Duration.ofMillis(100));
		}
		assertThat(lease.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.MAX_HOLD);
	}

	@Test
	void lastRenewalsBeforeMaxHoldAreNoStorm() {
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
		this.instance.hold(ONCE.withMaxHold(Duration.ofSeconds(20)));
		for (int i = 0; i < 2_000; i++) {
			this.instance.advance(Duration.ofMillis(10));
		}
		assertThat(this.store.calls(Command.EXTEND).size()).isLessThan(20);
	}

	@Test
	void extendedLeaseIsGivenBackForAsLongAsItMayStandThere() {
		Lease lease = this.instance.hold(ScriptedInstance.WAITING);
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
		assertThat(lease.extend(Duration.ofHours(1))).isTrue();
		this.store.answering(Command.RELEASE, (call) -> call.fail(true));
		this.store.answering(Command.WITHDRAW, (call) -> call.fail(true));
		lease.close();
		this.instance.advance(Duration.ofMinutes(50));
		int tried = this.store.calls(Command.WITHDRAW).size();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.calls(Command.WITHDRAW)).hasSizeGreaterThan(tried);
		this.instance.advance(Duration.ofMinutes(11));
		assertThat(this.instance.shells().isIdle()).isTrue();
	}

	@Test
	void extendOfALockThatIsNotOursLosesTheLease() {
		this.store.answering(Command.EXTEND, (call) -> call.say(false));
		Lease lease = this.instance.hold(ONCE);
		assertThat(lease.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(lease.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void extendThatFailsLeavesTheLeaseAsItIs() {
		this.store.answering(Command.EXTEND, (call) -> call.fail(false));
		Lease lease = this.instance.hold(ONCE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofMinutes(1)))
			.withMessageContaining("'k'");
		assertThat(lease.remaining()).isBetween(Duration.ofSeconds(8), ONCE.lease());
	}

	@Test
	void extendReturnsOnlyWhenTheNewDeadlineCounts() {
		Gate gate = new Gate();
		Lease lease = this.instance.hold(ONCE);
		CompletableFuture<Duration> remaining = OwnThread.supply(() -> {
			lease.extend(Duration.ofMinutes(1));
			return lease.remaining();
		});
		Call extension = this.store.take(Command.EXTEND);
		// Another thread is inside the queue of the key when the answer arrives.
		this.instance.clock.onRead(() -> {
			if (Thread.currentThread().getName().equals("newcomer") && isIn(KeyShell.class)) {
				gate.pass();
			}
		});
		Thread newcomer = new Thread(() -> this.instance.engine.get("k").tryAcquire(), "newcomer");
		newcomer.start();
		gate.awaitReached();
		Thread store = new Thread(() -> extension.say(true), "store");
		store.start();
		// If the sender has not yet awaited the answer, the sender waits for the queue.
		Awaitility.await()
			.until(() -> remaining.isDone() || store.getState() == Thread.State.WAITING
					|| store.getState() == Thread.State.TERMINATED);
		Awaitility.await()
			.during(Duration.ofMillis(50))
			.atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(remaining).isNotDone());
		gate.open();
		assertThat(ScriptedInstance.get(remaining)).isGreaterThan(Duration.ofSeconds(59));
	}

	@Test
	void extendByLessThanAMillisecondIsRefused() {
		Lease lease = this.instance.hold(ONCE);
		assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ofNanos(999_999)))
			.withMessageContaining("'lease' must be between 1ms and 365d");
	}

	private static boolean isIn(Class<?> type) {
		return StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().equals(type.getName())));
	}

}
