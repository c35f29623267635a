package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.shell.PendingAcquisition;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for asynchronous acquisitions.
 */
class AsyncTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void futureCompletesOnAThreadOfTheEngine() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		CompletableFuture<String> thread = acquired.thenApply((lease) -> Thread.currentThread().getName());
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(thread)).startsWith("lockable-callback");
	}

	@Test
	void callersActionThatBlocksDoesNotBlockTheStoresThread() throws Exception {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		CompletableFuture<Void> blocked = acquired.thenAccept((lease) -> this.instance.gate.pass());
		OwnThread.run(() -> this.store.take(Command.ACQUIRE).grant(1)).get(5, TimeUnit.SECONDS);
		this.instance.gate.awaitReached();
		assertThat(blocked).isNotDone();
		CompletableFuture<Lease> other = this.instance.engine.get("other").acquireAsync();
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(other).isHeld()).isTrue();
	}

	@Test
	void futureFailsWithContentionWhenTheWaitIsOver() {
		CompletableFuture<Lease> waiting = this.instance
			.queue(ScriptedInstance.WAITING.withWaitTime(Duration.ofMillis(500)), HOUR);
		this.instance.advance(Duration.ofMillis(499));
		assertThat(waiting).isNotDone();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockNotAcquiredException.class)
			.hasMessageContaining("500ms");
	}

	@Test
	void futureCompletesIfTheNotificationRunsOutOfMemory() {
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.ONCE);
		this.instance.clock.onRead(AsyncTests::failInWaiter);
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		assertThat(ScriptedInstance.failure(acquired)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void allCallersOfAnAnswerCompleteIfTheFirstNotificationRunsOutOfMemory() {
		List<CompletableFuture<Lease>> acquired = List.of(this.instance.acquire(ScriptedInstance.ONCE),
				this.instance.acquire(ScriptedInstance.ONCE));
		this.instance.clock.onRead(() -> {
			this.instance.clock.onRead(() -> {
			});
			failInWaiter();
		});
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		assertThat(acquired).extracting(ScriptedInstance::failure)
			.hasOnlyElementsOfType(LockNotAcquiredException.class);
	}

	private static void failInWaiter() {
		if (StackWalker.getInstance()
			.walk((frames) -> frames
				.anyMatch((frame) -> frame.getClassName().equals(PendingAcquisition.class.getName())))) {
			throw new OutOfMemoryError();
		}
	}

	@Test
	void cancelEndsTheWaitAndLeavesTheServersQueue() {
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, HOUR);
		waiting.cancel(false);
		this.store.take(Command.WITHDRAW).say(false);
		this.instance.awaitIdle();
	}

	@Test
	void lockGrantedInTheMomentOfTheCancelIsReleased() {
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		CompletableFuture<Lease> acquired = this.instance.acquire(ScriptedInstance.WAITING);
		Call acquire = this.store.take(Command.ACQUIRE);
		// All callback threads are busy, so that the grant is decided but not delivered
		// yet.
		for (int i = 0; i < 8; i++) {
			CompletableFuture<Lease> other = this.instance.engine.get("other" + i).acquireAsync();
			CompletableFuture<Void> blocked = other.thenAccept((lease) -> this.instance.gate.pass());
			this.store.take(Command.ACQUIRE).grant(1);
			assertThat(blocked).isNotDone();
		}
		acquire.grant(1);
		assertThat(acquired.cancel(false)).isTrue();
		this.instance.gate.open();
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(acquire.owner());
	}

	@Test
	void manyFuturesOfOneKeyWaitWithoutAThread() {
		this.instance.queue(ScriptedInstance.WAITING, HOUR);
		int threads = Thread.activeCount();
		for (int i = 0; i < 1_000; i++) {
			this.instance.acquire(ScriptedInstance.WAITING.withWaitTime(Duration.ofSeconds(1)));
		}
		assertThat(Thread.activeCount()).isLessThan(threads + 20);
		assertThat(this.store.calls(Command.ENQUEUE)).hasSize(1);
		assertThat(this.store.calls(Command.SUBSCRIBE)).hasSize(1);
		this.instance.advance(Duration.ofSeconds(1));
		// The renewals, the orphans, the queue and the first waiter.
		assertThat(this.instance.shells().parts().timer().size()).isEqualTo(5);
	}

}
