package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
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
