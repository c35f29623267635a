package io.lockable.engine;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for acquisitions during which the store fails or does not answer.
 */
class FailureTests {

	private static final Duration LOOK = Duration.ofMillis(330);

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private CompletableFuture<Boolean> released = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void acquireWithoutAnAnswerFailsAfterTheCommandTimeoutAndIsAbandoned() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		Call acquire = this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT.minusMillis(1));
		assertThat(acquired).isNotDone();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("The store did not answer for lock 'k' within 2s");
		Call withdrawal = this.store.take(Command.WITHDRAW);
		assertThat(withdrawal.owner()).isEqualTo(acquire.owner());
		withdrawal.say(false);
		this.instance.awaitIdle();
	}

	@Test
	void grantThatIsAnsweredTooLateIsGivenBack() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		Call acquire = this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockStoreException.class);
		this.store.take(Command.WITHDRAW).say(false);
		acquire.grant(1);
		Call again = this.store.take(Command.WITHDRAW);
		assertThat(again.owner()).isEqualTo(acquire.owner());
		again.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void blockedAcquirerIsWokenByTheCommandTimeout() {
		CompletableFuture<Throwable> thrown = OwnThread.supply(() -> {
			try {
				return new AssertionError(this.instance.engine.get("k").tryAcquire());
			}
			catch (LockStoreException ex) {
				return ex;
			}
		});
		this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.get(thrown)).isInstanceOf(LockStoreException.class)
			.hasCauseInstanceOf(LockStoreException.class);
	}

	@Test
	void answerThatTookLongerThanTheLeaseIsAFailureAndGivesTheLockBack() {
		CompletableFuture<Lease> acquired = this.instance
			.acquire(ScriptedInstance.WAITING.withLease(Duration.ofMillis(100)));
		this.instance.clock.advance(Duration.ofMillis(100));
		Call acquire = this.store.take(Command.ACQUIRE);
		acquire.grant(1);
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("use a longer lease");
		Call release = this.store.takeGivenBack();
		assertThat(release.owner()).isEqualTo(acquire.owner());
		release.say(true);
		assertThat(this.store.calls(Command.ACQUIRE)).hasSize(1);
		this.instance.awaitIdle();
	}

	@Test
	void unansweredReleaseIsNotRepeatedAndItsAnswerDecides() {
		Call release = released();
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		release.say(true);
		assertThat(ScriptedInstance.get(this.released)).isTrue();
		this.instance.awaitIdle();
	}

	@Test
	void releaseOfALostLockSaysSoHoweverLateItIsAnswered() {
		Call release = released();
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		release.say(false);
		assertThat(ScriptedInstance.get(this.released)).isFalse();
		this.store.take(Command.WITHDRAW).say(false);
		this.instance.awaitIdle();
	}

	private Call released() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		this.store.take(Command.ACQUIRE).grant(1);
		this.released = ScriptedInstance.get(acquired).releaseAsync().toCompletableFuture();
		return this.store.take(Command.RELEASE);
	}

	@Test
	void retryableFailureIsTriedAgainWithinTheWait() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		Call first = this.store.take(Command.ACQUIRE);
		first.fail(true);
		assertThat(acquired).isNotDone();
		this.instance.advance(LOOK);
		Call second = this.store.take(Command.ACQUIRE);
		assertThat(second.owner()).isEqualTo(first.owner());
		second.grant(1);
		assertThat(ScriptedInstance.get(acquired).isHeld()).isTrue();
	}

	@Test
	void otherFailureFailsAtOnceAndIsAbandoned() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		Call acquire = this.store.take(Command.ACQUIRE);
		acquire.fail(false);
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("'k'")
			.hasMessageContaining("The server is away");
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(acquire.owner());
		assertThat(this.store.calls(Command.ACQUIRE)).hasSize(1);
	}

	@Test
	void refusedConnectionIsTriedAgainWithinTheCommandTimeout() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		refuseConnection(this.store.take(Command.ACQUIRE));
		this.instance.advance(LOOK);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).isHeld()).isTrue();
	}

	private static void refuseConnection(Call call) {
		call.answer().completeExceptionally(new LockStoreException("Connection refused", new ConnectException()));
	}

	@Test
	void storeThatThrowsAnErrorIsAFailureLikeAnyOther() {
		this.store.answering(Command.ACQUIRE, (call) -> {
			throw new NoClassDefFoundError("client");
		});
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.instance.engine.get("k").tryAcquire())
			.withMessageContaining("client")
			.havingRootCause()
			.isInstanceOf(NoClassDefFoundError.class);
	}

}
