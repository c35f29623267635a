package io.lockable.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for an instance that recalls a lock from another instance, which may only retain
 * it.
 */
class RecallTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration RECALL_TIMEOUT = Duration.ofMillis(300);

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	private final ScriptedInstance instance = new ScriptedInstance(new ScriptedStore(),
			(builder) -> builder.recallTimeout(RECALL_TIMEOUT));

	private final ScriptedStore store = this.instance.store;

	/**
	 * Without a subscription, no answer arrives.
	 */
	@BeforeEach
	void subscribe() {
		this.store.answering(Command.WITHDRAW, (call) -> call.say(false));
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, HOUR);
		waiting.cancel(false);
		this.instance.awaitIdle();
		this.store.take(Command.WITHDRAW);
	}

	@AfterEach
	void close() {
		this.instance.close();
	}

	private Call recalled() {
		Call ask = this.store.take(Command.ACQUIRE);
		assertThat(ask.other()).isEqualTo("recall");
		ask.recall(HOUR);
		return ask;
	}

	// A message that another thread handles before the answer to the command has no
	// effect.
	private void awaitBusy(Call ask, CompletableFuture<?> tried) {
		await().until(() -> {
			this.store.inbox().busy("k", ask.owner());
			return tried.isDone();
		});
	}

	@Test
	void singleTryThatMeetsAHolderFailsAtOnce() {
		DistributedLock lock = this.instance.engine.get("k", ONCE);
		CompletableFuture<Optional<Lease>> tried = OwnThread.supply(lock::tryAcquire);
		Call ask = recalled();
		awaitBusy(ask, tried);
		assertThat(ScriptedInstance.get(tried)).isEmpty();
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(ask.owner());
	}

	@Test
	void singleTryGetsTheLockThatIsGivenBack() {
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		Call ask = recalled();
		assertThat(tried).isNotDone();
		this.store.grant(ask, 7);
		assertThat(ScriptedInstance.get(tried).fencingToken()).isEqualTo(7);
	}

	@Test
	void singleTryFailsWithoutAnAnswer() {
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		Call ask = recalled();
		this.instance.advance(RECALL_TIMEOUT.minusNanos(1));
		assertThat(tried).isNotDone();
		this.instance.advance(Duration.ofNanos(1));
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(ask.owner());
		this.instance.awaitIdle();
	}

	@Test
	void firstSingleTryOfAnInstanceSubscribesAndAsks() {
		try (ScriptedInstance unsubscribed = new ScriptedInstance()) {
			CompletableFuture<Lease> tried = unsubscribed.acquire(ONCE);
			Call plain = unsubscribed.store.take(Command.ACQUIRE);
			assertThat(plain.other()).isEmpty();
			plain.recall(HOUR);
			unsubscribed.store.take(Command.SUBSCRIBE).say(true);
			Call ask = unsubscribed.store.take(Command.ACQUIRE);
			assertThat(ask.other()).isEqualTo("recall");
			assertThat(tried).isNotDone();
			ask.grant(7);
			assertThat(ScriptedInstance.get(tried).fencingToken()).isEqualTo(7);
		}
	}

	@Test
	void timeoutMustBePositive() {
		LockEngine.Builder builder = LockEngine.builder(new InMemoryLockStore());
		assertThatIllegalArgumentException().isThrownBy(() -> builder.recallTimeout(Duration.ZERO))
			.withMessage("'recallTimeout' must be positive, was 0s");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.recallTimeout(Duration.ofMillis(-1)))
			.withMessage("'recallTimeout' must be positive, was -1ms");
		builder.recallTimeout(Duration.ofDays(100_000)).build().close();
	}

}
