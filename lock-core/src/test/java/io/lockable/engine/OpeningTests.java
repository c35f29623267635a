package io.lockable.engine;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the first command to a store, which connects.
 */
class OpeningTests {

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

	private static final LockOptions SHORT = ScriptedInstance.WAITING.withWaitTime(Duration.ofMillis(500))
		.withLease(Duration.ofSeconds(1));

	private final ScriptedStore store = new ScriptedStore().connecting(CONNECT_TIMEOUT);

	private final ScriptedInstance instance = new ScriptedInstance(this.store);

	private Thread thread = new Thread();

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void waitAndLeaseBeginWhenTheStoreIsOpen() {
		CompletableFuture<Lease> acquired = this.instance.acquire(SHORT);
		Call connect = this.store.take(Command.CONNECT);
		assertThat(connect.key()).isEqualTo("k");
		this.instance.advance(CONNECT_TIMEOUT);
		assertThat(acquired).isNotDone();
		connect.say(true);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).remaining()).isGreaterThan(Duration.ofMillis(900));
	}

	@Test
	void waitOfAThreadBeginsWhenTheStoreIsOpen() {
		CompletableFuture<Lease> acquired = acquire(this.instance.engine.get("k", SHORT));
		Call connect = this.store.take(Command.CONNECT);
		this.instance.advance(CONNECT_TIMEOUT);
		connect.say(true);
		this.store.take(Command.ACQUIRE).refuse(Duration.ofHours(1));
		assertThat(acquired).isNotDone();
	}

	@Test
	void waitForSeveralKeysBeginsWhenTheStoreIsOpen() {
		CompletableFuture<Lease> async = this.instance.engine.getAll(List.of("a", "b"), SHORT).acquireAsync();
		CompletableFuture<Lease> thread = acquire(this.instance.engine.getAll(List.of("c", "d"), SHORT));
		Call connect = this.store.take(Command.CONNECT);
		this.instance.advance(CONNECT_TIMEOUT);
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		connect.say(true);
		assertThat(ScriptedInstance.get(async).isHeld()).isTrue();
		assertThat(ScriptedInstance.get(thread).isHeld()).isTrue();
	}

	@Test
	void firstCallsShareOneCommandAndLaterCallsSendNone() {
		this.instance.acquire(SHORT);
		this.instance.engine.get("other").acquireAsync();
		this.store.take(Command.CONNECT).say(true);
		this.store.take(Command.ACQUIRE);
		this.store.take(Command.ACQUIRE);
		this.instance.engine.get("third").acquireAsync();
		this.store.take(Command.ACQUIRE);
		assertThat(this.store.calls(Command.CONNECT)).hasSize(1);
	}

	@Test
	void storeThatDoesNotConnectFailsASingleTryAfterBothTimeouts() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.CONNECT);
		this.instance.advance(CONNECT_TIMEOUT.plus(ScriptedInstance.COMMAND_TIMEOUT).minusMillis(1));
		assertThat(acquired).isNotDone();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("did not answer for lock 'k' within 12s");
		assertThat(this.store.calls(Command.ACQUIRE)).isEmpty();
	}

	@Test
	void waitContinuesAfterAnAttemptWithoutAnAnswer() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		Call connect = this.store.take(Command.CONNECT);
		this.instance.advance(CONNECT_TIMEOUT.plus(ScriptedInstance.COMMAND_TIMEOUT));
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(acquired).isNotDone();
		connect.say(true);
		this.instance.advance(Duration.ofMillis(250));
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).isHeld()).isTrue();
	}

	@Test
	void callAfterAFailureOpensTheStoreAgain() {
		CompletableFuture<Lease> first = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.CONNECT).fail(false);
		assertThat(ScriptedInstance.failure(first)).isInstanceOf(LockStoreException.class);
		CompletableFuture<Lease> second = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.CONNECT).say(true);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(second).isHeld()).isTrue();
	}

	@Test
	void refusedConnectionIsTriedAgainWithinTheWait() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		this.store.take(Command.CONNECT)
			.answer()
			.completeExceptionally(new LockStoreException("Connection refused", new ConnectException()));
		this.store.take(Command.CONNECT).say(true);
		assertThat(acquired).isNotDone();
		this.instance.advance(Duration.ofMillis(250));
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).isHeld()).isTrue();
	}

	@Test
	void temporaryFailureIsAnAnswer() {
		CompletableFuture<Lease> acquired = this.instance.acquire(SHORT);
		this.store.take(Command.CONNECT).fail(true);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).isHeld()).isTrue();
	}

	@Test
	void lateAnswerOpensTheStore() {
		CompletableFuture<Lease> first = this.instance.acquire(ScriptedInstance.ONCE);
		Call connect = this.store.take(Command.CONNECT);
		this.instance.advance(CONNECT_TIMEOUT.plus(ScriptedInstance.COMMAND_TIMEOUT));
		assertThat(ScriptedInstance.failure(first)).isInstanceOf(LockStoreException.class);
		connect.say(true);
		this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE).grant(1);
	}

	@Test
	void failureOfAnEarlierAttemptLeavesTheStoreOpen() {
		this.instance.acquire(ScriptedInstance.ONCE);
		Call first = this.store.take(Command.CONNECT);
		this.instance.advance(CONNECT_TIMEOUT.plus(ScriptedInstance.COMMAND_TIMEOUT));
		this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.CONNECT).say(true);
		first.fail(false);
		this.instance.engine.get("next").acquireAsync();
		this.store.take(Command.ACQUIRE);
		assertThat(this.store.calls(Command.CONNECT)).hasSize(2);
	}

	@Test
	void interruptEndsTheCall() {
		CompletableFuture<Lease> acquired = acquire(this.instance.engine.get("k", SHORT));
		this.store.take(Command.CONNECT);
		this.thread.interrupt();
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(InterruptedException.class);
	}

	@Test
	void shutdownEndsTheCall() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		this.store.take(Command.CONNECT);
		this.instance.engine.close();
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockException.class)
			.hasMessageContaining("shut down");
	}

	@Test
	void questionOpensTheStoreAsWell() {
		this.store.answering(Command.CONNECT, (call) -> call.say(true));
		this.store.answering(Command.IS_LOCKED, (call) -> call.say(true));
		assertThat(this.instance.engine.get("k").isLocked()).isTrue();
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.CONNECT, Command.IS_LOCKED);
	}

	@Test
	void questionFailsWithTheFailureOfTheConnection() {
		this.store.answering(Command.CONNECT, (call) -> call.fail(false));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.instance.engine.get("k")::isLocked)
			.withMessageContaining("The server is away");
	}

	private CompletableFuture<Lease> acquire(DistributedLock lock) {
		CompletableFuture<Lease> acquired = new CompletableFuture<>();
		this.thread = new Thread(() -> {
			try {
				acquired.complete(lock.acquire());
			}
			catch (InterruptedException | RuntimeException ex) {
				acquired.completeExceptionally(ex);
			}
		});
		this.thread.start();
		return acquired;
	}

}
