package io.lockable.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the waits of acquisitions.
 */
class WaitingTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions SHORT = ScriptedInstance.WAITING.withWaitTime(Duration.ofMillis(500));

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void zeroWaitWhenHeldByOtherAsksExactlyOnce() {
		this.store.answering(Command.ACQUIRE, (call) -> call.refuse(HOUR));
		Optional<Lease> lease = this.instance.engine.get("k").tryAcquire();
		assertThat(lease).isEmpty();
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.ACQUIRE);
		this.instance.awaitIdle();
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
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		this.store.inbox().resubscribed();
		this.store.take(Command.ENQUEUE).grant(3);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(3);
	}

	private String owner() {
		return this.store.calls(Command.ACQUIRE).get(0).owner();
	}

}
