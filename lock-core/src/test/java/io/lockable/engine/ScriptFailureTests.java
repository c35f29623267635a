package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.QueueingLockStore.Yielded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for answers that arrive after the caller timed out, or after the answer to a
 * newer command. {@code docs/decisions.md} lists all commands.
 */
class ScriptFailureTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private static final LockOptions KEPT = ScriptedInstance.ONCE.withLease(HOUR).withMinHold(Duration.ofSeconds(5));

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private final ExecutorService thread = Executors.newSingleThreadExecutor();

	@AfterEach
	void close() throws InterruptedException {
		this.instance.close();
		this.thread.shutdownNow();
		assertThat(this.thread.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
	}

	// Requests

	@ParameterizedTest
	@EnumSource
	void grantOfAnOlderAskLeavesTheDecisionToTheNewerOne(Kind kind) {
		CompletableFuture<Lease> waiting = kind.queue(this.instance);
		Call older = older(kind);
		Call newer = this.store.take(kind.enqueue);
		older.grant(7);
		assertNothingIsHeld(waiting);
		newer.refuse(HOUR);
		assertNothingIsHeld(waiting);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.store.grant(newer, 27);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(27);
	}

	@ParameterizedTest
	@EnumSource
	void anyAnswerToAnOlderAskLeavesTheHolderAlone(Kind kind) {
		for (Consumer<Call> answer : List.<Consumer<Call>>of((call) -> call.grant(7), (call) -> call.refuse(HOUR),
				(call) -> call.fail(true), (call) -> call.fail(false))) {
			CompletableFuture<Lease> waiting = kind.queue(this.instance);
			Call older = older(kind);
			this.store.take(kind.enqueue).grant(27);
			Lease lease = ScriptedInstance.get(waiting);
			answer.accept(older);
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
			CompletableFuture<Boolean> released = lease.releaseAsync().toCompletableFuture();
			this.store.take(Command.RELEASE).say(true);
			assertThat(ScriptedInstance.get(released)).isTrue();
		}
	}

	/**
	 * Lets the command timeout of a poll pass without an answer.
	 */
	private Call older(Kind kind) {
		this.instance.advance(Duration.ofMillis(30));
		Call older = this.store.take(kind.enqueue);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(Duration.ofSeconds(1));
		return older;
	}

	// Messages

	@Test
	void messageThatComesTwiceIsOneGrant() {
		CompletableFuture<Lease> waiting = this.instance.queue(WAITING, HOUR);
		Call queued = this.store.calls(Command.ENQUEUE).get(0);
		Granted granted = queued.granted(7, false);
		this.store.grant(queued, granted);
		Lease lease = ScriptedInstance.get(waiting);
		this.store.grant(queued, granted);
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		lease.releaseAsync();
		this.store.take(Command.RELEASE).say(true);
		this.instance.awaitIdle();
		this.store.grant(queued, granted);
		Call withdrawal = this.store.take(Command.WITHDRAW);
		assertThat(withdrawal.owner()).as("of nobody's any more").isEqualTo(queued.owner());
		withdrawal.say(false);
		this.instance.awaitIdle();
	}

	// Transfers

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answerToAnOlderTransferLeavesTheSuccessorAlone(boolean granted) {
		Lease second = handOver();
		Call older = this.store.take(Command.TRANSFER);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		Call newer = this.store.take(Command.TRANSFER);
		assertThat(newer.other()).isEqualTo(older.other()).isEqualTo(second.owner());
		newer.grant(21);
		if (granted) {
			older.grant(11);
		}
		else {
			older.refuse(HOUR);
		}
		assertThat(second.isHeld()).isTrue();
		assertThat(second.remaining()).isGreaterThan(Duration.ofSeconds(8));
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void lateGrantOfATransferOfALostLeaseIsGivenBack() {
		Lease second = handOver();
		Call transfer = this.store.take(Command.TRANSFER);
		this.instance.advance(WAITING.lease());
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		awaitWithdrawals(transfer);
		transfer.grant(11);
		assertThat(second.isHeld()).isFalse();
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(transfer.other());
	}

	private Lease handOver() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		first.releaseAsync();
		return ScriptedInstance.get(second);
	}

	// Turns

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lateAnswerToAYieldLeavesTheNextHolderAlone(boolean granted) {
		CompletableFuture<Lease> next = yieldTo();
		Call yield = this.store.take(Command.YIELD_TURN);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(Duration.ofSeconds(1));
		this.store.take(Command.ENQUEUE).grant(20);
		Lease lease = ScriptedInstance.get(next);
		yield.say(new Yielded(true, granted ? new Granted(11) : new Refused(HOUR)));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
	}

	@Test
	void turnThatIsGivenAfterTheNextHasGoneIsGivenBack() {
		CompletableFuture<Lease> next = yieldTo();
		Call yield = this.store.take(Command.YIELD_TURN);
		next.cancel(false);
		yield.say(new Yielded(true, new Granted(11)));
		assertThat(this.store.takeGivenBack().owner()).isEqualTo(yield.other());
	}

	private CompletableFuture<Lease> yieldTo() {
		Lease first = this.instance.hold(new Granted(2, 10, true, 0));
		CompletableFuture<Lease> next = this.instance.acquire(WAITING);
		this.instance.endTurn();
		first.releaseAsync();
		return next;
	}

	// Downgrades

	@Test
	void lateGrantOfADowngradeIsGivenBack() {
		Call downgrade = downgrade();
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		awaitWithdrawals(downgrade);
		downgrade.grant(11);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(downgrade.other());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void downgradeThatFailsIsALossAndBothOwnersAreGivenUp(boolean retryable) {
		Call downgrade = downgrade();
		downgrade.fail(retryable);
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		assertThat(List.of(this.store.take(Command.WITHDRAW).owner(), this.store.take(Command.WITHDRAW).owner()))
			.containsExactlyInAnyOrder(downgrade.owner(), downgrade.other());
		assertThat(this.store.calls(Command.DOWNGRADE)).as("sent once").hasSize(1);
	}

	private Call downgrade() {
		DistributedReadWriteLock lock = this.instance.engine.getReadWriteLock("k", WAITING);
		this.thread.execute(() -> {
			lock.writeLock().lock();
			lock.readLock().lock();
			lock.writeLock().unlock();
		});
		this.store.take(Command.ACQUIRE).grant(1);
		return this.store.take(Command.DOWNGRADE);
	}

	// Extensions

	@Test
	void answerToAnOlderExtensionNeverMovesTheDeadlineBack() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		CompletableFuture<Boolean> older = OwnThread.supply(() -> lease.extend(Duration.ofSeconds(30)));
		Call first = this.store.take(Command.EXTEND);
		CompletableFuture<Boolean> newer = OwnThread.supply(() -> lease.extend(Duration.ofSeconds(60)));
		this.store.take(Command.EXTEND).say(true);
		assertThat(ScriptedInstance.get(newer)).isTrue();
		first.say(true);
		assertThat(ScriptedInstance.get(older)).isTrue();
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(58));
	}

	@Test
	void lateAnswerToARenewalDoesNotReviveALostLease() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		this.instance.advance(Duration.ofSeconds(3));
		Call renewal = this.store.take(Command.EXTEND);
		this.instance.advance(Duration.ofSeconds(6));
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(lease.owner());
		renewal.say(true);
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
		assertThat(this.instance.losses).hasSize(1);
	}

	// Keeps

	@Test
	void lateAnswerToAKeepChangesNothing() {
		CompletableFuture<Boolean> released = this.instance.hold(KEPT).releaseAsync().toCompletableFuture();
		Call keep = this.store.take(Command.KEEP);
		this.instance.advance(Duration.ofHours(2));
		keep.say(true);
		assertThat(ScriptedInstance.get(released)).isTrue();
		this.instance.awaitIdle();
		assertThat(this.store.calls()).hasSize(2);
		assertThat(this.instance.losses).isEmpty();
	}

	// Lookups

	@ParameterizedTest
	@EnumSource
	void questionWithoutAnAnswerFailsAndALateAnswerIsNobodys(Question question) {
		CompletableFuture<Throwable> failure = OwnThread.supply(() -> {
			try {
				return new AssertionError(question.ask(this.instance.engine));
			}
			catch (LockStoreException ex) {
				return ex;
			}
		});
		Call call = this.store.take(question.command);
		assertThat(ScriptedInstance.get(failure)).isInstanceOf(LockStoreException.class).hasMessageContaining("'k'");
		call.dismiss();
		assertThat(this.store.calls()).hasSize(1);
		this.instance.awaitIdle();
	}

	@ParameterizedTest
	@EnumSource
	void questionThatFailsIsAFailureAndNoAnswer(Question question) {
		this.store.answering(question.command, (call) -> call.fail(true));
		CompletableFuture<Object> answer = OwnThread.supply(() -> question.ask(this.instance.engine));
		assertThat(ScriptedInstance.failure(answer)).isInstanceOf(LockStoreException.class);
	}

	/**
	 * Answers the withdrawals of both owners of a command.
	 */
	private void awaitWithdrawals(Call command) {
		List<String> owners = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			Call withdrawal = this.store.take(Command.WITHDRAW);
			owners.add(withdrawal.owner());
			withdrawal.say(false);
			this.instance.retry();
		}
		assertThat(owners).containsExactlyInAnyOrder(command.owner(), command.other());
	}

	private void assertNothingIsHeld(CompletableFuture<Lease> waiting) {
		assertThat(this.instance.shells().leases()).isEmpty();
		assertThat(waiting).isNotDone();
	}

	/**
	 * The kinds of acquisitions.
	 */
	enum Kind {

		EXCLUSIVE(Command.ACQUIRE, Command.ENQUEUE), FAIR(Command.ACQUIRE, Command.ENQUEUE),
		READ(Command.ACQUIRE_SHARED, Command.ENQUEUE_SHARED), PERMIT(Command.ACQUIRE_SHARED, Command.ENQUEUE_SHARED);

		private final Command acquire;

		private final Command enqueue;

		Kind(Command acquire, Command enqueue) {
			this.acquire = acquire;
			this.enqueue = enqueue;
		}

		/**
		 * Queues a waiter that polls again immediately.
		 */
		CompletableFuture<Lease> queue(ScriptedInstance instance) {
			CompletableFuture<Lease> waiting = switch (this) {
				case EXCLUSIVE -> instance.engine.get("k", WAITING).acquireAsync();
				case FAIR -> instance.engine.get("k", WAITING.withFair(true)).acquireAsync();
				case READ -> instance.engine.getReadWriteLock("k", WAITING).readLock().acquireAsync();
				case PERMIT -> instance.engine.getSemaphore("k", 2, WAITING).acquireAsync();
			};
			if (instance.store.calls(Command.SUBSCRIBE).isEmpty()) {
				instance.store.take(this.acquire).refuse(Duration.ZERO);
				instance.store.take(Command.SUBSCRIBE).say(true);
			}
			instance.store.take(this.enqueue).refuse(Duration.ZERO);
			return waiting;
		}

	}

	/**
	 * The read-only commands.
	 */
	enum Question {

		LOCKED(Command.IS_LOCKED), SHARED(Command.IS_SHARED), LOOK(Command.LOOK);

		private final Command command;

		Question(Command command) {
			this.command = command;
		}

		Object ask(LockEngine engine) {
			return switch (this) {
				case LOCKED -> engine.get("k").isLocked();
				case SHARED -> engine.getReadWriteLock("k", WAITING).readLock().isLocked();
				case LOOK -> engine.look("k");
			};
		}

	}

}
