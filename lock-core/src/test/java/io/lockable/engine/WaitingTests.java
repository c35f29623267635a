package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Granted;
import io.lockable.store.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the waits of acquisitions.
 */
class WaitingTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions SHORT = ScriptedInstance.WAITING.withWaitTime(Duration.ofMillis(500));

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void zeroWaitWhenHeldByOtherAsksExactlyOnce() {
		this.store.answering(Command.ACQUIRE, (call) -> call.refuse(HOUR));
		Optional<Lease> lease = this.instance.engine.get("k").tryAcquire();
		assertThat(lease).isEmpty();
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.ACQUIRE);
		this.instance.awaitIdle();
	}

	@Test
	void waitersBehindAnUnansweredRequestAreNotRefused() {
		List<CompletableFuture<Lease>> waiting = List.of(this.instance.acquire(SHORT), this.instance.acquire(SHORT));
		this.instance.advance(SHORT.waitTime());
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(waiting)
			.allSatisfy((wait) -> assertThat(ScriptedInstance.failure(wait)).isInstanceOf(LockStoreException.class)
				.hasMessageContaining("did not answer"));
	}

	@Test
	void firstAnswerEndsTheWaitsThatAreOver() {
		CompletableFuture<Lease> first = this.instance.acquire(SHORT);
		CompletableFuture<Lease> second = this.instance.acquire(SHORT);
		CompletableFuture<Lease> third = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.advance(SHORT.waitTime());
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(first).isHeld()).isTrue();
		assertThat(ScriptedInstance.failure(second)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(third).isNotDone();
	}

	@Test
	void zeroWaitWhenOthersOfTheInstanceWaitAsksNothing() {
		this.instance.queue(ScriptedInstance.WAITING, HOUR);
		int asked = this.store.calls().size();
		assertThat(this.instance.engine.get("k").tryAcquire()).isEmpty();
		assertThat(this.store.calls()).hasSize(asked);
	}

	@Test
	void zeroWaitWhenHeldByTheInstanceAsksNothing() {
		this.instance.hold(ScriptedInstance.WAITING);
		assertThat(this.instance.engine.get("k").tryAcquire()).isEmpty();
		assertThat(this.store.calls()).hasSize(1);
	}

	@Test
	void waitBehindALocalHolderAndThenBehindAnotherInstanceHasOneDeadline() {
		LockOptions fifty = ScriptedInstance.WAITING.withLease(Duration.ofSeconds(50)).withRenewal(Renewal.OFF);
		this.instance.hold(fifty);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.advance(Duration.ofSeconds(50));
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		this.instance.advance(Duration.ofMillis(9_900));
		assertThat(waiting).isNotDone();
		this.store.answering(Command.ENQUEUE, (call) -> call.refuse(HOUR));
		this.instance.advance(Duration.ofMillis(100));
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockNotAcquiredException.class)
			.hasMessageContaining("'k'");
	}

	@Test
	void waiterLooksAgainWhenTheHoldersLeaseMustHaveEndedAndNotBefore() {
		this.instance.queue(ScriptedInstance.WAITING, Duration.ofMillis(500));
		this.instance.advance(Duration.ofMillis(499));
		assertThat(this.store.calls(Command.ENQUEUE)).hasSize(1);
		this.instance.advance(Duration.ofMillis(22));
		this.store.take(Command.ENQUEUE);
		assertThat(this.store.calls(Command.ENQUEUE)).hasSize(2).extracting(Call::owner).containsOnly(owner());
	}

	@Test
	void waiterBehindALongLeaseLooksAtASlowInterval() {
		this.instance.queue(ScriptedInstance.WAITING, HOUR);
		this.instance.advance(Duration.ofMillis(9_999));
		assertThat(this.store.calls(Command.ENQUEUE)).hasSize(1);
		this.instance.advance(Duration.ofMillis(1));
		this.store.take(Command.ENQUEUE);
	}

	@Test
	void waiterThatGivesUpLeavesTheServersQueue() {
		CompletableFuture<Lease> waiting = this.instance.queue(SHORT, HOUR);
		this.instance.advance(Duration.ofMillis(500));
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockNotAcquiredException.class);
		Call withdrawal = this.store.take(Command.WITHDRAW);
		assertThat(withdrawal.owner()).isEqualTo(owner());
		withdrawal.say(false);
		this.instance.awaitIdle();
	}

	@Test
	void waiterThatTimesOutAsItIsGrantedLeavesTheLockToTheNext() {
		CompletableFuture<Lease> first = this.instance.queue(SHORT, HOUR);
		CompletableFuture<Lease> second = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.advance(Duration.ofMillis(500));
		assertThat(ScriptedInstance.failure(first)).isInstanceOf(LockNotAcquiredException.class);
		Call queued = this.store.calls(Command.ENQUEUE).get(0);
		this.store.grant(queued, 7);
		Lease lease = ScriptedInstance.get(second);
		assertThat(lease.fencingToken()).isEqualTo(7);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(transfer.owner()).isEqualTo(queued.owner());
		assertThat(transfer.other()).isEqualTo(lease.owner());
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
	}

	@Test
	void grantThatOvertakesTheTimeOutIsTheWaiters() {
		CompletableFuture<Lease> waiting = this.instance.queue(SHORT, HOUR);
		this.instance.clock.advance(Duration.ofMillis(500));
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 7);
		this.instance.shells().parts().timer().tick();
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	@Test
	void grantAfterTheLastWaiterHasGoneIsGivenBack() {
		this.instance.queue(SHORT, HOUR);
		this.instance.advance(Duration.ofMillis(500));
		this.store.take(Command.WITHDRAW).say(false);
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 7);
		Call again = this.store.take(Command.WITHDRAW);
		assertThat(again.owner()).isEqualTo(owner());
		again.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void firstWaiterWhoseTimeIsOverStillGetsTheAnswerOnItsWay() {
		CompletableFuture<Lease> waiting = this.instance.acquire(SHORT);
		this.instance.advance(Duration.ofMillis(600));
		assertThat(waiting).isNotDone();
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	@Test
	void firstWaiterWhoseTimeIsOverEndsWithTheRefusalOnItsWay() {
		CompletableFuture<Lease> waiting = this.instance.acquire(SHORT);
		this.instance.advance(Duration.ofMillis(600));
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockNotAcquiredException.class);
		this.instance.awaitIdle();
	}

	@Test
	void waiterWhoseLastAnswerIsOldAsksOnceMoreBeforeItGivesUp() {
		CompletableFuture<Lease> waiting = this.instance.queue(SHORT.withWaitTime(Duration.ofSeconds(2)), HOUR);
		this.instance.advance(Duration.ofSeconds(2));
		Call again = this.store.take(Command.ENQUEUE);
		assertThat(waiting).isNotDone();
		again.refuse(HOUR);
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void waiterWhoseLastQuestionIsNotAnsweredBlamesTheStore() {
		CompletableFuture<Lease> waiting = this.instance.queue(SHORT.withWaitTime(Duration.ofSeconds(2)), HOUR);
		this.instance.advance(Duration.ofSeconds(2));
		this.store.take(Command.ENQUEUE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void grantWhoseLeaseIsNearlyOverIsConfirmedFirst() {
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, HOUR);
		this.instance.clock.advance(Duration.ofSeconds(5));
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 7);
		Call confirmation = this.store.take(Command.TRANSFER);
		assertThat(confirmation.owner()).isEqualTo(confirmation.other()).isEqualTo(owner());
		assertThat(waiting).isNotDone();
		confirmation.grant(7);
		assertThat(ScriptedInstance.get(waiting).remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void grantAfterTheLastTokenOfTheRefusalNeedsNoConfirmation() {
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		Call queued = this.store.take(Command.ENQUEUE);
		queued.say(new Refused(HOUR, 6));
		this.instance.clock.advance(Duration.ofSeconds(4));
		// A clock that steps forward before the grant makes no lease longer.
		this.store.grant(queued, new Granted(7, 7, false, Long.MAX_VALUE));
		Duration remaining = ScriptedInstance.get(waiting).remaining();
		assertThat(remaining).as("counts from the question").isBetween(Duration.ofMillis(4_500), Duration.ofSeconds(5));
		this.instance.advance(Duration.ZERO);
		assertThat(this.store.take(Command.EXTEND).lease()).isEqualTo(ScriptedInstance.WAITING.lease());
	}

	@Test
	void resubscriptionLetsWaitersLookAtOnce() {
		this.instance.queue(ScriptedInstance.WAITING, HOUR);
		this.store.inbox().resubscribed();
		this.store.take(Command.ENQUEUE);
	}

	@Test
	void allKeysShareOneSubscription() {
		this.instance.queue(ScriptedInstance.WAITING, HOUR);
		this.instance.engine.get("other", ScriptedInstance.WAITING).acquireAsync();
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		assertThat(this.store.calls(Command.SUBSCRIBE)).hasSize(1);
		assertThat(this.store.calls(Command.ACQUIRE)).hasSize(1);
	}

	@Test
	void waiterWithoutASubscriptionLooksAgainAndSubscribesAgain() {
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).fail(false);
		this.instance.advance(Duration.ofMillis(5));
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		this.store.take(Command.ENQUEUE).grant(3);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(3);
	}

	@Test
	void waiterPollsWhileTheSubscriptionIsInterrupted() {
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		this.store.inbox().interrupted();
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		this.instance.advance(Duration.ofSeconds(10));
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.inbox().resubscribed();
		this.store.take(Command.ENQUEUE).grant(3);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(3);
	}

	private String owner() {
		return this.store.calls(Command.ACQUIRE).get(0).owner();
	}

}
