package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an engine on a store without queues, blocking or not.
 */
class PlainStoreTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final TestClock clock = new TestClock();

	private final ScriptedStore store = new ScriptedStore();

	private final LockEngine engine = engine(false);

	private final LockEngine blocking = engine(true);

	@AfterEach
	void close() {
		this.store.answerAll();
		this.engine.close();
		this.blocking.close();
	}

	@Test
	void waiterBacksOffUpToALimit() {
		this.store.answering(Command.ACQUIRE, (call) -> call.refuse(HOUR));
		acquire(this.engine, ScriptedInstance.WAITING);
		for (int i = 0; i < 10_000; i++) {
			advance(Duration.ofMillis(1));
		}
		// At most 5, 10, 20 and 40 ms apart, then at least 40 and at most 80 ms.
		assertThat(this.store.calls(Command.ACQUIRE).size()).isBetween(10_000 / 80, 8 + 10_000 / 40);
	}

	@Test
	void fairOptionOnAStoreWithoutQueuesStillExcludes() {
		LockOptions fair = ScriptedInstance.WAITING.withFair(true);
		CompletableFuture<Lease> first = acquire(this.engine, fair);
		this.store.take(Command.ACQUIRE).grant(1);
		CompletableFuture<Lease> second = acquire(this.engine, fair);
		assertThat(ScriptedInstance.get(first).isHeld()).isTrue();
		assertThat(second).isNotDone();
		assertThat(this.store.calls()).hasSize(1);
	}

	@Test
	void blockingStoreDoesNotBlockAnAsynchronousCaller() {
		CompletableFuture<Lease> acquired = acquire(this.blocking, ScriptedInstance.WAITING);
		assertThat(acquired).isNotDone();
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).isHeld()).isTrue();
	}

	@Test
	void blockingStoreDoesNotBlockTheTimer() {
		CompletableFuture<Lease> acquired = acquire(this.blocking, ScriptedInstance.WAITING);
		this.store.take(Command.ACQUIRE).grant(1);
		Lease lease = ScriptedInstance.get(acquired);
		this.clock.advance(Duration.ofSeconds(3));
		this.blocking.shells().parts().timer().tick();
		Call extension = this.store.take(Command.EXTEND);
		assertThat(extension.answer()).isNotDone();
		extension.say(true);
		Awaitility.await().until(() -> lease.remaining().compareTo(Duration.ofSeconds(8)) > 0);
	}

	private void advance(Duration time) {
		this.clock.advance(time);
		this.engine.shells().parts().timer().tick();
	}

	private LockEngine engine(boolean blockingStore) {
		return LockEngine.builder(new PlainStore(this.store, blockingStore))
			.clock(this.clock)
			.shutdownTimeout(Duration.ZERO)
			.build();
	}

	private static CompletableFuture<Lease> acquire(LockEngine engine, LockOptions options) {
		return engine.get("k", options).acquireAsync();
	}

}
