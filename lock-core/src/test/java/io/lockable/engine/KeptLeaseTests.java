package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Attempt;
import io.lockable.store.Granted;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what the store is told of a lease that is kept, and for what may come in
 * between.
 */
class KeptLeaseTests {

	private static final Duration MIN_HOLD = Duration.ofSeconds(5);

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration RETRY = Duration.ofMillis(100);

	/**
	 * A lease that ends in the store long after its shortest hold.
	 */
	private static final LockOptions KEPT = ScriptedInstance.ONCE.withLease(HOUR).withMinHold(MIN_HOLD);

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	// Shortening

	@Test
	void leaseThatEndsMuchLaterIsShortenedToTheRest() {
		Lease lease = this.instance.hold(KEPT);
		this.instance.advance(Duration.ofSeconds(1));
		lease.release();
		Call shortening = this.store.take(Command.SHORTEN);
		assertThat(shortening.owner()).isEqualTo(lease.owner());
		assertThat(shortening.lease()).isBetween(Duration.ofSeconds(4), Duration.ofMillis(4_100));
		shortening.say(true);
		this.instance.advance(Duration.ofSeconds(4));
		this.store.take(Command.RELEASE);
		assertThat(this.store.calls(Command.SHORTEN)).hasSize(1);
		assertThat(this.store.calls(Command.EXTEND)).isEmpty();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void leaseThatEndsALittleLaterIsLeftAsItIs() {
		this.instance.hold(KEPT.withLease(MIN_HOLD.plusMillis(900))).release();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.calls(Command.SHORTEN)).isEmpty();
	}

	@Test
	void longRestIsNotLongerByTheDriftOfClocks() {
		Duration rest = Duration.ofHours(12);
		this.instance.hold(KEPT.withLease(Duration.ofHours(24)).withMinHold(rest)).release();
		Call shortening = this.store.take(Command.SHORTEN);
		assertThat(shortening.lease()).isBetween(rest, rest.plusMillis(100));
		shortening.say(true);
		this.instance.advance(rest.minusMillis(1));
		assertThat(this.store.calls(Command.EXTEND)).isEmpty();
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(Duration.ofMillis(1));
		this.store.take(Command.RELEASE);
	}

	@Test
	void restThatIsNearlyTheLeaseIsNotLongerByTheDriftOfClocks() {
		Duration rest = Duration.ofHours(24).minusMinutes(10);
		this.instance.hold(KEPT.withLease(Duration.ofHours(24)).withMinHold(rest).withRenewal(Renewal.OFF)).release();
		Call extension = this.store.take(Command.EXTEND);
		assertThat(extension.lease()).isBetween(rest, rest.plusMillis(100));
		extension.say(true);
		this.instance.advance(Duration.ZERO);
		Call shortening = this.store.take(Command.SHORTEN);
		assertThat(shortening.lease()).isBetween(rest, rest.plusMillis(100));
		shortening.say(true);
		for (Duration left = rest; left.compareTo(Duration.ofMinutes(1)) > 0; left = left.minusMinutes(1)) {
			this.instance.advance(Duration.ofMinutes(1));
		}
		assertThat(this.store.calls(Command.EXTEND)).hasSize(1);
		assertThat(this.store.calls(Command.SHORTEN)).hasSize(1);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.instance.advance(Duration.ofMinutes(1));
		this.store.take(Command.RELEASE);
	}

	@Test
	void shorteningThatFailsIsTriedAgain() {
		this.instance.hold(KEPT).release();
		this.store.take(Command.SHORTEN).fail(true);
		this.instance.advance(RETRY);
		this.store.take(Command.SHORTEN).fail(false);
		this.instance.advance(RETRY);
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(RETRY);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(this.store.calls(Command.SHORTEN)).hasSize(3);
		this.instance.advance(MIN_HOLD);
		this.store.take(Command.RELEASE);
	}

	@Test
	void shorteningWithoutAnAnswerIsTriedAgain() {
		this.instance.hold(KEPT).release();
		this.store.take(Command.SHORTEN);
		this.instance.advance(RETRY);
		assertThat(this.store.calls(Command.SHORTEN)).hasSize(1);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.store.take(Command.SHORTEN);
	}

	@Test
	void shorteningThatTheStoreCannotDoIsNotTriedAgain() {
		this.instance.hold(KEPT).release();
		this.store.take(Command.SHORTEN).say(false);
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND).say(true);
		this.instance.advance(RETRY);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(this.store.calls(Command.SHORTEN)).hasSize(1);
		assertThat(this.store.calls(Command.EXTEND)).hasSize(1);
		this.instance.advance(MIN_HOLD);
		this.store.take(Command.RELEASE);
	}

	@Test
	void shareIsNotShortened() {
		CompletableFuture<Lease> acquired = this.instance.engine.getReadWriteLock("k", KEPT).readLock().acquireAsync();
		this.store.take(Command.ACQUIRE_SHARED).grant(1);
		assertThat(ScriptedInstance.get(acquired).release()).isTrue();
		this.instance.advance(RETRY);
		this.instance.engine.close();
		assertThat(this.instance.queues().isIdle()).isTrue();
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.ACQUIRE_SHARED, Command.CLOSE);
	}

	// Successors

	@Test
	void successorDoesNotCountOnALeaseThatWasShortened() {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.close();
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(MIN_HOLD);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(waiting).isNotDone();
		transfer.grant(11);
		assertThat(ScriptedInstance.get(waiting).remaining()).isLessThan(Duration.ofMinutes(1));
	}

	@Test
	void successorDoesNotCountOnALeaseWhoseShorteningIsNotAnswered() {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.close();
		this.store.take(Command.SHORTEN);
		this.instance.advance(MIN_HOLD);
		this.store.take(Command.TRANSFER);
		assertThat(waiting).isNotDone();
	}

	@Test
	void shorteningThatIsSentLateDoesNotNameTheSuccessor() {
		this.store.blocks();
		CompletableFuture<Lease> acquired = this.instance.engine.get("other", KEPT).acquireAsync();
		this.store.take(Command.ACQUIRE).grant(1);
		ScriptedInstance.get(acquired);
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING.withLease(HOUR));
		Awaitility.await().until(() -> !this.instance.engine.waiting().isEmpty());
		// The thread that would send it is busy with another lock.
		Gate gate = new Gate();
		this.store.beforeSending(Command.EXTEND, gate::pass);
		this.instance.engine.verify("other");
		gate.awaitReached();
		lease.close();
		this.instance.advance(MIN_HOLD);
		this.store.take(Command.TRANSFER).grant(11);
		Lease successor = ScriptedInstance.get(waiting);
		assertThat(this.store.calls(Command.SHORTEN)).isEmpty();
		gate.open();
		assertThat(this.store.take(Command.SHORTEN).owner()).isEqualTo(lease.owner()).isNotEqualTo(successor.owner());
	}

	@Test
	void lateEndOfAShortenedLeaseIsAReleaseAndNoLoss() {
		this.instance.hold(KEPT).release();
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(MIN_HOLD.plusMillis(20));
		this.store.take(Command.RELEASE).say(true);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.instance.awaitIdle();
	}

	@Test
	void lateEndOfAShortenedLeaseIsPassedOn() {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.release();
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(MIN_HOLD.plusMillis(20));
		this.store.take(Command.TRANSFER).grant(11);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(11);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
	}

	@Test
	void successorOfALeaseThatEndedInTheStoreAsksAnew() {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.release();
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(MIN_HOLD.plusSeconds(1));
		this.store.take(Command.TRANSFER).refuse(Duration.ZERO);
		this.store.take(Command.ACQUIRE).grant(21);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(21);
	}

	// Transfers on their way

	@Test
	void leaseThatATransferSetsIsExtendedWhenThatIsAnswered() {
		LockOptions minute = ScriptedInstance.WAITING.withLease(Duration.ofSeconds(10))
			.withMinHold(Duration.ofMinutes(1));
		Lease first = this.instance.hold(ScriptedInstance.ONCE.withLease(HOUR));
		CompletableFuture<Lease> second = this.instance.acquire(ScriptedInstance.WAITING.withLease(HOUR));
		CompletableFuture<Lease> third = this.instance.acquire(minute);
		first.releaseAsync();
		ScriptedInstance.get(second).releaseAsync();
		Lease kept = ScriptedInstance.get(third);
		assertThat(kept.release()).isTrue();
		this.store.take(Command.TRANSFER).grant(11);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(transfer.other()).isEqualTo(kept.owner());
		transfer.grant(21);
		this.instance.advance(RETRY);
		Call extension = this.store.take(Command.EXTEND);
		assertThat(extension.owner()).isEqualTo(kept.owner());
		assertThat(extension.lease()).isBetween(Duration.ofSeconds(59), Duration.ofSeconds(61));
		extension.say(true);
		for (int i = 0; i < 59; i++) {
			this.instance.advance(Duration.ofSeconds(1));
		}
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		assertThat(this.store.calls(Command.EXTEND)).hasSize(1);
		this.instance.advance(Duration.ofSeconds(1));
		this.store.take(Command.RELEASE);
	}

	@Test
	void shorteningComesAfterATransferOnItsWay() throws Exception {
		Lease first = this.instance.hold(KEPT.withMinHold(Duration.ZERO));
		CompletableFuture<Lease> second = this.instance.acquire(KEPT.withWaitTime(HOUR));
		first.releaseAsync();
		Lease kept = ScriptedInstance.get(second);
		kept.release();
		this.instance.advance(RETRY);
		assertThat(this.store.calls(Command.SHORTEN)).isEmpty();
		CompletableFuture<Void> closing = OwnThread.run(this.instance.engine::close);
		assertIsNotDone(closing);
		this.store.take(Command.TRANSFER).grant(11);
		this.instance.advance(RETRY);
		Call shortening = this.store.take(Command.SHORTEN);
		assertThat(shortening.owner()).isEqualTo(kept.owner());
		shortening.say(true);
		closing.get(10, TimeUnit.SECONDS);
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		assertThat(this.instance.queues().isIdle()).isTrue();
	}

	// Extensions on their way

	@Test
	void extensionThatIsAnsweredLateIsTakenBack() throws Exception {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Boolean> extending = OwnThread.supply(() -> lease.extend(HOUR.plus(HOUR)));
		Call extension = this.store.take(Command.EXTEND);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.close();
		this.store.take(Command.SHORTEN).say(true);
		extension.say(true);
		assertThat(extending.get(10, TimeUnit.SECONDS)).isFalse();
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(MIN_HOLD);
		this.store.take(Command.TRANSFER);
		assertThat(waiting).as("whoever counted on two hours").isNotDone();
	}

	@Test
	void extensionThatFailsMayHaveBeenDoneAndIsTakenBack() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE.withMinHold(Duration.ofMillis(8_500)));
		CompletableFuture<Boolean> extending = OwnThread.supply(() -> lease.extend(HOUR));
		Call extension = this.store.take(Command.EXTEND);
		lease.close();
		assertThat(this.store.calls(Command.SHORTEN)).isEmpty();
		extension.fail(false);
		assertThat(ScriptedInstance.failure(extending)).isNotNull();
		this.instance.advance(RETRY);
		this.store.take(Command.SHORTEN);
	}

	@Test
	void extensionThatFailedBeforeTheReleaseIsTakenBackToo() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE.withMinHold(Duration.ofMillis(8_500)));
		CompletableFuture<Boolean> extending = OwnThread.supply(() -> lease.extend(HOUR));
		this.store.take(Command.EXTEND).fail(false);
		assertThat(ScriptedInstance.failure(extending)).isNotNull();
		lease.close();
		this.store.take(Command.SHORTEN);
	}

	@Test
	void shutdownWaitsForAnExtensionThatMayProlongTheLease() throws Exception {
		Lease lease = this.instance.hold(KEPT);
		this.instance.advance(HOUR.dividedBy(3));
		Call renewal = this.store.take(Command.EXTEND);
		lease.releaseAfter(MIN_HOLD);
		this.store.take(Command.SHORTEN).say(true);
		CompletableFuture<Void> closing = OwnThread.run(this.instance.engine::close);
		assertIsNotDone(closing);
		renewal.say(true);
		this.instance.advance(Duration.ZERO);
		Call shortening = this.store.take(Command.SHORTEN);
		assertIsNotDone(closing);
		shortening.say(true);
		closing.get(10, TimeUnit.SECONDS);
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		assertThat(this.instance.queues().isIdle()).isTrue();
	}

	@Test
	void shutdownWaitsForAShorteningThatFailed() throws Exception {
		this.instance.hold(KEPT).release();
		this.store.take(Command.SHORTEN).fail(true);
		CompletableFuture<Void> closing = OwnThread.run(this.instance.engine::close);
		assertIsNotDone(closing);
		this.instance.advance(RETRY);
		this.store.take(Command.SHORTEN).say(true);
		closing.get(10, TimeUnit.SECONDS);
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		assertThat(this.instance.queues().isIdle()).isTrue();
	}

	@Test
	void shutdownLetsTheStoreKnowFirst() throws Exception {
		this.instance.hold(KEPT).release();
		Call shortening = this.store.take(Command.SHORTEN);
		CompletableFuture<Void> closing = OwnThread.run(this.instance.engine::close);
		assertIsNotDone(closing);
		shortening.say(true);
		closing.get(10, TimeUnit.SECONDS);
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
	}

	// Losses

	@Test
	void noOfTheStoreLetsWaitersAskAlthoughTheLeaseWasShortened() {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.release();
		this.store.take(Command.SHORTEN).say(true);
		this.instance.engine.verify("k");
		this.store.take(Command.EXTEND).say(false);
		this.store.take(Command.ACQUIRE).grant(21);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(21);
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void shorteningOfALeaseThatIsNotOursLetsWaitersAsk() {
		Lease lease = this.instance.hold(KEPT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.release();
		this.store.take(Command.SHORTEN).say(false);
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND).say(false);
		this.store.take(Command.ACQUIRE).grant(21);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(21);
	}

	@Test
	void questionWhetherAKeptLeaseIsOursProlongsNothing() {
		Lease lease = this.instance.hold(KEPT);
		lease.release();
		this.store.take(Command.SHORTEN).say(true);
		this.instance.advance(Duration.ofSeconds(1));
		this.instance.engine.verify("k");
		Call question = this.store.take(Command.EXTEND);
		assertThat(question.lease()).isLessThanOrEqualTo(Duration.ofSeconds(4));
		question.say(true);
		this.instance.advance(Duration.ofSeconds(4));
		this.store.take(Command.RELEASE);
		assertThat(this.store.calls(Command.SHORTEN)).hasSize(1);
	}

	@Test
	void leaseThatCannotBeExtendedIsNotGivenBackBefore() {
		this.store.answering(Command.EXTEND, (call) -> call.fail(true));
		this.instance.hold(ScriptedInstance.ONCE.withMinHold(Duration.ofMinutes(1))).release();
		for (int i = 0; i < 599; i++) {
			this.instance.advance(RETRY);
		}
		assertThat(this.store.calls(Command.EXTEND)).hasSizeGreaterThan(100);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(RETRY);
		this.store.take(Command.RELEASE);
	}

	@Test
	void leaseThatTheShutdownEndsIsNotKept() throws Exception {
		Lease lease = this.instance.hold(KEPT.withLease(MIN_HOLD.plusMillis(500)));
		// Another thread is inside the queue of the key, where both want to go.
		Gate gate = new Gate();
		this.instance.clock.onRead(() -> {
			if (Thread.currentThread().getName().equals("newcomer") && isIn(LockQueue.class)) {
				gate.pass();
			}
		});
		Thread newcomer = new Thread(() -> this.instance.engine.get("k").tryAcquire(), "newcomer");
		newcomer.start();
		gate.awaitReached();
		Thread closing = new Thread(() -> this.instance.queues().keeper().giveBackAll(), "closing");
		closing.start();
		Awaitility.await().until(() -> closing.getState() == Thread.State.WAITING);
		AtomicReference<Boolean> released = new AtomicReference<>();
		Thread releasing = new Thread(() -> released.set(lease.release()), "releasing");
		releasing.start();
		Awaitility.await().until(() -> released.get() != null || releasing.getState() == Thread.State.WAITING);
		gate.open();
		closing.join();
		releasing.join();
		this.store.take(Command.WITHDRAW);
		assertThat(released.get()).as("what the release says").isFalse();
		Awaitility.await().untilAsserted(() -> assertThat(this.instance.losses).hasSize(1));
		newcomer.join();
	}

	// Releases

	@Test
	void releaseThatComesSecondDoesNotChangeHowLongTheLockIsKept() {
		HeldLease lease = (HeldLease) this.instance.hold(KEPT);
		AtomicReference<Duration> rest = new AtomicReference<>();
		this.instance.clock.onRead(() -> {
			if (rest.get() == null) {
				// Whoever releases first decides.
				rest.set(lease.isReleased() ? HOUR : MIN_HOLD);
				lease.releaseAsync();
			}
		});
		lease.releaseAfter(HOUR);
		this.store.answering(Command.SHORTEN, (call) -> call.say(true));
		this.instance.advance(rest.get().minusMillis(1));
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(Duration.ofMillis(1));
		this.store.take(Command.RELEASE);
	}

	@Test
	void severalKeysAreGivenBackTogetherAfterNoTime() throws Exception {
		this.store.takesTogether();
		CompletableFuture<Lease> acquired = this.instance.engine.getAll(List.of("a", "b"), KEPT).acquireAsync();
		for (Attempt attempt : this.store.takeAttempts()) {
			attempt.result().complete(new Granted(1, 10, false, 0));
		}
		Lease lease = ScriptedInstance.get(acquired);
		CompletableFuture<Boolean> released = OwnThread.supply(() -> lease.releaseAfter(Duration.ZERO));
		Call one = this.store.take(Command.RELEASE);
		Call other = this.store.take(Command.RELEASE);
		one.say(true);
		other.say(true);
		assertThat(released.get(10, TimeUnit.SECONDS)).isTrue();
	}

	private static void assertIsNotDone(CompletableFuture<?> future) {
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(50, TimeUnit.MILLISECONDS));
	}

	private static boolean isIn(Class<?> type) {
		return StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().equals(type.getName())));
	}

}
