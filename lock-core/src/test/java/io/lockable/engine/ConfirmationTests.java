package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Granted;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a store that confirms a lock only in the answer to the holder's own command.
 */
class ConfirmationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private static final LockOptions BRIEF = WAITING.withWaitTime(Duration.ofSeconds(1));

	private final ScriptedInstance instance = new ScriptedInstance(new ScriptedStore(true));

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void grantOnlyLetsTheWaiterAskAgain() {
		CompletableFuture<Lease> waiting = this.instance.queue(WAITING, HOUR);
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 5);
		Call again = this.store.take(Command.ENQUEUE);
		assertThat(again.owner()).isEqualTo(this.store.calls(Command.ENQUEUE).get(0).owner());
		assertThat(waiting).isNotDone();
		again.grant(11);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(11);
		assertThat(this.store.calls(Command.TRANSFER)).isEmpty();
	}

	@Test
	void grantThatOvertakesTheRefusalLetsTheWaiterAskAgain() {
		CompletableFuture<Lease> waiting = this.instance.acquire(WAITING);
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		Call asked = this.store.take(Command.ENQUEUE);
		this.store.grant(asked, new Granted(5, 14, false, 0));
		asked.answer().complete(new Refused(HOUR, 4));
		this.store.take(Command.ENQUEUE).grant(11);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	@Test
	void unconfirmedGrantFailsTheWaiterWhenItsWaitIsOverAndIsGivenBack() {
		CompletableFuture<Lease> waiting = this.instance.queue(BRIEF, HOUR);
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 5);
		Call again = this.store.take(Command.ENQUEUE);
		this.instance.advance(Duration.ofMillis(1100));
		assertThat(waiting).as("the answer on its way decides").isNotDone();
		again.fail(true);
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("'k'");
		Call given = this.store.take(Command.WITHDRAW);
		assertThat(given.owner()).isEqualTo(again.owner());
		given.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void unconfirmedGrantIsAskedForAgainWithinTheWait() {
		CompletableFuture<Lease> waiting = this.instance.queue(WAITING, HOUR);
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 5);
		this.store.take(Command.ENQUEUE).fail(true);
		this.instance.advance(Duration.ofMillis(200));
		this.store.take(Command.ENQUEUE).grant(11);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	@Test
	void grantThatIsGoneWhenAskedForLeavesTheWaiterInTheQueue() {
		CompletableFuture<Lease> waiting = this.instance.queue(WAITING, HOUR);
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 5);
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		assertThat(waiting).isNotDone();
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 25);
		this.store.take(Command.ENQUEUE).grant(31);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(31);
	}

	@Test
	void successorAndReleaserWaitForTheTransfer() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		CompletableFuture<Boolean> released = first.releaseAsync().toCompletableFuture();
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(second).isNotDone();
		assertThat(released).isNotDone();
		transfer.grant(21);
		assertThat(ScriptedInstance.get(released)).isTrue();
		Lease lease = ScriptedInstance.get(second);
		assertThat(lease.owner()).isEqualTo(transfer.other());
		assertThat(lease.fencingToken()).isEqualTo(21);
	}

	@Test
	void everySuccessorHasATransferOfItsOwn() {
		this.store.answering(Command.TRANSFER,
				(call) -> call.grant(10L * this.store.calls(Command.TRANSFER).size() + 1));
		Lease current = this.instance.hold(WAITING);
		for (int i = 1; i <= 20; i++) {
			CompletableFuture<Lease> next = this.instance.acquire(WAITING);
			assertThat(current.release()).isTrue();
			current = ScriptedInstance.get(next);
			assertThat(this.store.calls(Command.TRANSFER)).hasSize(i);
			assertThat(this.store.calls(Command.TRANSFER).get(i - 1).other()).isEqualTo(current.owner());
		}
	}

	@Test
	void unconfirmedTransferIsSentAgainWithinTheWait() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		first.releaseAsync();
		this.store.take(Command.TRANSFER).fail(true);
		assertThat(second).isNotDone();
		this.instance.advance(Duration.ofMillis(60));
		this.store.take(Command.TRANSFER).grant(21);
		assertThat(ScriptedInstance.get(second).isHeld()).isTrue();
	}

	@Test
	void unconfirmedTransferFailsTheSuccessorWhenItsWaitIsOverAndIsGivenBack() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(BRIEF);
		CompletableFuture<Boolean> released = first.releaseAsync().toCompletableFuture();
		Call transfer = this.store.take(Command.TRANSFER);
		this.instance.advance(Duration.ofMillis(1100));
		assertThat(second).as("the answer on its way decides").isNotDone();
		transfer.fail(true);
		assertThat(ScriptedInstance.failure(second)).isInstanceOf(LockStoreException.class).hasMessageContaining("'k'");
		assertThat(ScriptedInstance.failure(released)).isInstanceOf(LockStoreException.class);
		Call one = this.store.take(Command.WITHDRAW);
		Call other = this.store.take(Command.WITHDRAW);
		assertThat(one.owner()).isEqualTo(first.owner());
		assertThat(other.owner()).isEqualTo(transfer.other());
		one.say(false);
		other.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void successorWhoseWaitEndsBetweenTwoTriesFailsWithTheStore() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(BRIEF);
		first.releaseAsync();
		this.instance.clock.advance(Duration.ofMillis(990));
		this.store.take(Command.TRANSFER).fail(true);
		this.instance.advance(Duration.ofMillis(20));
		assertThat(ScriptedInstance.failure(second)).isInstanceOf(LockStoreException.class);
		this.store.take(Command.WITHDRAW).say(false);
		this.store.take(Command.WITHDRAW).say(true);
		this.instance.awaitIdle();
	}

	@Test
	void transferThatIsNeverAnsweredFailsTheSuccessorWhenItsWaitIsOver() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(BRIEF);
		first.releaseAsync();
		this.store.take(Command.TRANSFER);
		this.instance.advance(Duration.ofMillis(1100));
		assertThat(second).isNotDone();
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.failure(second)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("did not answer");
	}

	@Test
	void nextWaiterIsTransferredToWhenTheSuccessorHasGivenUp() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		CompletableFuture<Lease> third = this.instance.acquire(WAITING);
		first.releaseAsync();
		Call transfer = this.store.take(Command.TRANSFER);
		second.cancel(false);
		transfer.grant(21);
		Call next = this.store.take(Command.TRANSFER);
		assertThat(next.owner()).isEqualTo(transfer.other());
		assertThat(third).isNotDone();
		next.grant(41);
		assertThat(ScriptedInstance.get(third).owner()).isEqualTo(next.other());
	}

	@Test
	void waiterBehindTheBidOfAnotherIsTransferredToFirst() {
		CompletableFuture<Lease> first = this.instance.acquire(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		Call asked = this.store.take(Command.ACQUIRE);
		first.cancel(false);
		asked.grant(1);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(transfer.owner()).isEqualTo(asked.owner());
		assertThat(second).isNotDone();
		transfer.grant(21);
		assertThat(ScriptedInstance.get(second).owner()).isEqualTo(transfer.other());
	}

	@Test
	void transferThatFindsAnotherHolderMakesTheSuccessorAskAgain() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		CompletableFuture<Boolean> released = first.releaseAsync().toCompletableFuture();
		this.store.take(Command.TRANSFER).refuse(HOUR);
		assertThat(ScriptedInstance.get(released)).isFalse();
		assertThat(this.store.take(Command.ACQUIRE).owner()).isNotEqualTo(first.owner());
		assertThat(second).isNotDone();
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void turnThatComesRoundAtOnceIsAskedFor() {
		CompletableFuture<Lease> queued = this.instance.queue(WAITING, HOUR);
		this.store.grant(this.store.calls(Command.ENQUEUE).get(0), 5);
		this.store.take(Command.ENQUEUE).grant(11, true);
		Lease first = ScriptedInstance.get(queued);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		this.instance.endTurn();
		CompletableFuture<Boolean> released = first.releaseAsync().toCompletableFuture();
		Call yielded = this.store.take(Command.YIELD_TURN);
		yielded.say(new Yielded(true, new Granted(21, 30, false, 0)));
		assertThat(ScriptedInstance.get(released)).isTrue();
		Call again = this.store.take(Command.ENQUEUE);
		assertThat(again.owner()).isEqualTo(yielded.other());
		assertThat(second).isNotDone();
		again.grant(41);
		assertThat(ScriptedInstance.get(second).fencingToken()).isEqualTo(41);
	}

	@Test
	void shareThatIsGrantedIsAskedForAgain() {
		CompletableFuture<Lease> waiting = this.instance.engine.getReadWriteLock("k", WAITING)
			.readLock()
			.acquireAsync();
		this.store.take(Command.ACQUIRE_SHARED).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		Call asked = this.store.take(Command.ENQUEUE_SHARED);
		asked.refuse(HOUR);
		this.store.grant(asked, 5);
		Call again = this.store.take(Command.ENQUEUE_SHARED);
		assertThat(again.owner()).isEqualTo(asked.owner());
		assertThat(waiting).isNotDone();
		again.grant(11);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
		assertThat(this.store.calls(Command.TRANSFER)).isEmpty();
	}

	@Test
	void tryThatIsNotConfirmedFailsWithTheStoreAndIsGivenBack() {
		CompletableFuture<Lease> tried = this.instance.acquire(ScriptedInstance.ONCE);
		Call asked = this.store.take(Command.ACQUIRE);
		asked.fail(true);
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockStoreException.class);
		Call given = this.store.take(Command.WITHDRAW);
		assertThat(given.owner()).isEqualTo(asked.owner());
		given.say(true);
		this.instance.awaitIdle();
	}

}
