package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.command.FirstAnswer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for command timeouts before the first answer of a store.
 */
class FirstAnswerTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

	// Shortly before the values overflow.
	private static final long NOW = Long.MAX_VALUE - SECOND;

	private final ScriptedStore store = new ScriptedStore().connecting(CONNECT_TIMEOUT);

	private final ScriptedInstance instance = new ScriptedInstance(this.store);

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void timeOfACommandBeginsWithTheFirstAnswer() {
		FirstAnswer first = new FirstAnswer(CONNECT_TIMEOUT);
		assertThat(first.startOf(NOW)).isEqualTo(NOW);
		first.asked(NOW);
		first.asked(NOW + SECOND);
		assertThat(first.startOf(NOW)).isEqualTo(NOW + 10 * SECOND);
		first.answered(NOW + 4 * SECOND);
		first.answered(NOW + 5 * SECOND);
		assertThat(first.startOf(NOW)).isEqualTo(NOW + 4 * SECOND);
		assertThat(first.startOf(NOW + 6 * SECOND)).isEqualTo(NOW + 6 * SECOND);
	}

	@Test
	void lateFirstAnswerDoesNotMoveTheTimeOfACommand() {
		FirstAnswer first = new FirstAnswer(CONNECT_TIMEOUT);
		first.asked(NOW);
		first.answered(NOW + 20 * SECOND);
		assertThat(first.startOf(NOW)).isEqualTo(NOW + 10 * SECOND);
	}

	@Test
	void firstAcquisitionIsNotOverdueWhileTheStoreConnects() {
		CompletableFuture<Lease> tried = this.instance.acquire(ScriptedInstance.ONCE);
		Call acquire = this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(tried).isNotDone();
		acquire.grant(1);
		assertThat(tried).succeedsWithin(Duration.ofSeconds(5));
	}

	@Test
	void firstAcquisitionFailsAfterTheConnectTimeoutAndTheCommandTimeout() {
		CompletableFuture<Lease> tried = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE);
		this.instance.advance(CONNECT_TIMEOUT.plus(ScriptedInstance.COMMAND_TIMEOUT).minusMillis(1));
		assertThat(tried).isNotDone();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("within 12s");
	}

	@Test
	void acquisitionAfterTheFirstAnswerFailsAfterTheCommandTimeout() {
		CompletableFuture<Lease> refused = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE).fail(false);
		assertThat(ScriptedInstance.failure(refused)).isInstanceOf(LockStoreException.class);
		CompletableFuture<Lease> tried = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("within 2s");
	}

}
