package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a store that does not answer: the commands sent to it, and the actions that
 * need no answer.
 */
class OutageTests {

	private static final int MAX_KEPT = 10_000;

	private static final Duration RETRY = Duration.ofMillis(250);

	private static final Duration SHORT_TIMEOUT = Duration.ofMillis(200);

	// More than the engine's threads for a blocking store.
	private static final int MANY = 30;

	private static final int SEVERAL = 8;

	private final AtomicInteger tried = new AtomicInteger();

	@AutoClose
	private ScriptedInstance instance = new ScriptedInstance();

	private ScriptedStore store = this.instance.store;

	// Commands

	@Test
	void unansweredWithdrawalIsNotSentAgain() {
		CompletableFuture<Lease> tried = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockStoreException.class);
		Call withdrawal = this.store.take(Command.WITHDRAW);
		for (int i = 0; i < 5; i++) {
			this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		}
		assertThat(this.store.calls(Command.WITHDRAW)).hasSize(1);
		withdrawal.fail(false);
		this.instance.advance(RETRY);
		this.store.take(Command.WITHDRAW).say(true);
		this.instance.awaitIdle();
	}

	@Test
	void tokenThatIsGrantedWhileItsWithdrawalIsUnansweredIsWithdrawnOnceMore() {
		this.instance.acquire(ScriptedInstance.ONCE);
		Call acquire = this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		Call withdrawal = this.store.take(Command.WITHDRAW);
		acquire.grant(1);
		assertThat(this.store.calls(Command.WITHDRAW)).hasSize(1);
		withdrawal.say(false);
		Call again = this.store.take(Command.WITHDRAW);
		assertThat(again.owner()).isEqualTo(acquire.owner());
		again.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void unansweredRenewalIsNotSentAgainAndTheLeaseIsLostInTime() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		this.instance.advance(Duration.ofSeconds(3));
		this.store.take(Command.EXTEND);
		this.instance.advance(Duration.ofSeconds(3));
		assertThat(this.store.calls(Command.EXTEND)).hasSize(1);
		assertThat(lease.isHeld()).isTrue();
		this.instance.advance(Duration.ofSeconds(3));
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
	}

	@Test
	void locksBeyondTheBoundAreLeftToTheirLeases() {
		int over = 50;
		AtomicInteger withdrawals = new AtomicInteger();
		this.store.answering(Command.ACQUIRE, (call) -> call.fail(false));
		this.store.answering(Command.WITHDRAW, (call) -> call.fail(false));
		IntStream.range(0, MAX_KEPT + over)
			.forEach((i) -> this.instance.engine.get("k" + i, ScriptedInstance.ONCE).acquireAsync());
		this.store.answering(Command.WITHDRAW, (call) -> {
			withdrawals.getAndIncrement();
			call.say(true);
		});
		for (int i = 0; i < 10; i++) {
			this.instance.advance(RETRY);
		}
		assertThat(withdrawals).hasValue(MAX_KEPT);
		this.instance.awaitIdle();
	}

	@Test
	void silentStoreIsAskedForNoFurtherLocksUntilItAnswers() {
		inRealTime();
		this.instance.acquire(ScriptedInstance.ONCE);
		Call unanswered = this.store.take(Command.ACQUIRE);
		Awaitility.await().until(this::isSilent);
		int sent = this.store.calls().size();
		List<CompletableFuture<Lease>> tries = IntStream.range(0, 1_000)
			.mapToObj((i) -> this.instance.engine.get("k" + i, ScriptedInstance.ONCE).acquireAsync())
			.toList();
		tries.forEach((tried) -> assertThat(tried).failsWithin(Duration.ofSeconds(5)));
		// Some probes.
		assertThat(this.store.calls().size() - sent).isLessThan(20);
		unanswered.refuse(Duration.ofSeconds(1));
		CompletableFuture<Lease> next = this.instance.engine.get("next", ScriptedInstance.ONCE).acquireAsync();
		// The answer must arrive within the short timeout.
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> this.store.calls(Command.ACQUIRE).stream().anyMatch((call) -> call.key().equals("next")));
		this.store.calls(Command.ACQUIRE)
			.stream()
			.filter((call) -> call.key().equals("next"))
			.forEach((call) -> call.grant(1));
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
	}

	// Whether no command is sent for a new lock.
	private boolean isSilent() {
		String key = "new" + this.tried.incrementAndGet();
		this.instance.engine.get(key, ScriptedInstance.ONCE).acquireAsync();
		return this.store.calls(Command.ACQUIRE).stream().noneMatch((call) -> call.key().equals(key));
	}

	@Test
	void waitOfACallThatIsNotSentContinuesUntilTheStoreAnswers() {
		inRealTime();
		this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE);
		Awaitility.await().until(this::isSilent);
		List<CompletableFuture<Lease>> waiting = IntStream.range(0, SEVERAL)
			.mapToObj((i) -> this.instance.engine.get("k" + i, ScriptedInstance.WAITING).acquireAsync())
			.toList();
		// In this order, no call stays unanswered.
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.store.answering(Command.WITHDRAW, (call) -> call.say(true));
		this.store.calls(Command.ACQUIRE).forEach((call) -> call.refuse(Duration.ofSeconds(1)));
		this.store.calls(Command.WITHDRAW).forEach((call) -> call.say(true));
		waiting.forEach((wait) -> assertThat(ScriptedInstance.get(wait).isHeld()).isTrue());
	}

	@Test
	void callsThatAreNotSentFailAfterTheCommandTimeout() {
		inRealTime();
		this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE);
		Awaitility.await().until(this::isSilent);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(this.instance.engine.get("late", ScriptedInstance.WAITING)::acquire);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT_TIMEOUT, Duration.ofSeconds(10));
	}

	// Actions without an answer

	@Test
	void lossIsNotifiedWhileAllThreadsForTheStoreBlock() {
		this.store.blocks();
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		this.store.beforeSending(Command.ACQUIRE, this.instance.gate::pass);
		this.store.beforeSending(Command.EXTEND, this.instance.gate::pass);
		tryMany();
		this.instance.gate.awaitReached();
		this.instance.advance(ScriptedInstance.ONCE.lease());
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		assertThat(lease.lost().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(5));
	}

	@Test
	void grantIsTakenWhileAllThreadsForTheStoreBlock() {
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, Duration.ofHours(1));
		this.store.blocks();
		this.store.beforeSending(Command.ACQUIRE, this.instance.gate::pass);
		tryMany();
		this.instance.gate.awaitReached();
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 2);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	// Several keys

	@Test
	void releaseOfSeveralKeysTakesOneTimeout() {
		inRealTime();
		Lease lease = holdSeveral();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SHORT_TIMEOUT.multipliedBy(SEVERAL / 2));
		assertThat(this.store.calls(Command.RELEASE)).hasSize(SEVERAL);
	}

	@Test
	void callThatIsNotSentFailsWithTheStackOfItsCaller() {
		inRealTime();
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		// Unanswered, so the store is silent afterwards.
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofMinutes(1)));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.instance.engine.get("other")::isLocked)
			.withMessageContaining("The request for lock 'other' was not sent")
			.satisfies((failure) -> assertThat(failure.getStackTrace())
				.anyMatch((frame) -> frame.getClassName().equals(OutageTests.class.getName())));
	}

	@Test
	void commandsForSeveralKeysAreInFlightTogetherWhenTheStoreBlocks() {
		Lease lease = holdSeveral();
		this.store.blocks();
		CountDownLatch together = new CountDownLatch(SEVERAL);
		this.store.beforeSending(Command.RELEASE, () -> {
			together.countDown();
			Gate.await(together);
		});
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		assertThat(lease.release()).isTrue();
	}

	private Lease holdSeveral() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		List<String> keys = IntStream.range(0, SEVERAL).mapToObj((i) -> "k" + i).toList();
		return this.instance.engine.getAll(keys, ScriptedInstance.ONCE).tryAcquire().orElseThrow();
	}

	private List<CompletableFuture<Lease>> tryMany() {
		return IntStream.range(0, MANY)
			.mapToObj((i) -> this.instance.engine.get("other" + i, ScriptedInstance.ONCE).acquireAsync())
			.toList();
	}

	/**
	 * Restarts in real time, with a short timeout.
	 */
	private void inRealTime() {
		this.instance.close();
		this.instance = new ScriptedInstance(new ScriptedStore(),
				(builder) -> builder.clock((LongSupplier) System::nanoTime).commandTimeout(SHORT_TIMEOUT));
		this.store = this.instance.store;
	}

}
