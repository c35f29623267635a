package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for a lock that is kept for its minimum hold after its release.
 */
class MinHoldTests {

	private static final LockOptions SHORT = ScriptedInstance.ONCE.withMinHold(Duration.ofSeconds(5));

	private static final LockOptions LONG = ScriptedInstance.ONCE.withMinHold(Duration.ofMinutes(1));

	private static final Duration TINY = Duration.ofMillis(1);

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void releaseBeforeTheShortestHoldKeepsTheLockForTheRest() {
		Lease lease = this.instance.hold(SHORT);
		this.instance.advance(Duration.ofSeconds(1));
		CompletableFuture<Boolean> released = release(lease);
		Call keep = this.store.take(Command.KEEP);
		assertThat(keep.owner()).isEqualTo(lease.owner());
		assertThat(keep.lease()).isBetween(Duration.ofSeconds(4), Duration.ofMillis(4_001));
		assertThat(released).isNotDone();
		keep.say(true);
		assertThat(ScriptedInstance.get(released)).isTrue();
		assertThat(lease.release()).isTrue();
		assertThat(lease.isHeld()).isFalse();
		this.instance.advance(Duration.ofHours(1));
		this.instance.awaitIdle();
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.ACQUIRE, Command.KEEP);
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void keepThatFailsIsTriedAgainForWhatIsLeft() {
		CompletableFuture<Boolean> released = release(this.instance.hold(LONG));
		this.store.take(Command.KEEP).fail(true);
		assertThat(ScriptedInstance.failure(released)).isInstanceOf(LockStoreException.class);
		this.store.take(Command.KEEP).fail(true);
		this.instance.advance(Duration.ofSeconds(1));
		Call again = this.store.take(Command.KEEP);
		assertThat(again.lease()).isBetween(Duration.ofSeconds(59), Duration.ofMillis(59_001));
		again.say(true);
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void keepThatFailsForAsLongAsTheShortestHoldIsGivenBackThen() {
		this.store.answering(Command.KEEP, (call) -> call.fail(true));
		release(this.instance.hold(SHORT));
		for (int i = 0; i < 4; i++) {
			this.instance.advance(Duration.ofSeconds(1));
		}
		assertThat(this.store.calls(Command.KEEP)).hasSizeGreaterThan(1);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.instance.advance(Duration.ofSeconds(1));
		this.store.take(Command.WITHDRAW);
	}

	@Test
	void keepWithoutAnAnswerIsNotSentAgain() {
		release(this.instance.hold(LONG));
		this.store.take(Command.KEEP);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT.multipliedBy(2));
		assertThat(this.store.calls(Command.KEEP)).hasSize(1);
	}

	@Test
	void keepThatSomethingElseOfTheOwnerOvertakesIsForTheSameOwner() {
		Lease lease = this.instance.hold(LONG);
		this.instance.advance(Duration.ofSeconds(3));
		Call renewal = this.store.take(Command.EXTEND);
		CompletableFuture<Boolean> released = release(lease);
		this.store.take(Command.KEEP).say(true);
		renewal.say(false);
		assertThat(ScriptedInstance.get(released)).isTrue();
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void lockThatNobodyUsedIsNotKept() {
		this.instance.hold(LONG).releaseAfterAsync(Duration.ZERO);
		this.store.take(Command.RELEASE).say(true);
	}

	@Test
	void releaseLaterKeepsTheLockForThatTimeFromNowOn() {
		Lease lease = this.instance.hold(LONG);
		this.instance.advance(Duration.ofSeconds(1));
		this.store.answering(Command.KEEP, (call) -> call.say(true));
		assertThat(lease.releaseAfter(Duration.ofSeconds(3))).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.store.calls(Command.KEEP)).singleElement()
			.satisfies((call) -> assertThat(call.lease()).isBetween(Duration.ofSeconds(3), Duration.ofMillis(3_001)));
	}

	@Test
	void releaseLaterOutOfRangeIsRefused() {
		Lease lease = this.instance.hold(SHORT);
		assertThatIllegalArgumentException().isThrownBy(() -> lease.releaseAfter(TINY.negated()))
			.withMessageContaining("'rest' must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> lease.releaseAfter(LockOptions.MAX_LEASE.plus(TINY)));
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void severalKeysAreReleasedLaterTogether() throws Exception {
		try (LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build()) {
			Lease lease = engine.getAll(List.of("a", "b"), LockOptions.defaults()).acquire();
			assertThat(lease.releaseAfter(Duration.ofHours(1))).isTrue();
			assertThat(engine.get("a").tryLock()).isFalse();
			assertThat(engine.get("b").tryLock()).isFalse();
		}
	}

	@Test
	void shutdownWaitsUntilTheStoreKeepsTheLock() throws Exception {
		release(this.instance.hold(LONG));
		Call keep = this.store.take(Command.KEEP);
		CompletableFuture<Void> closing = OwnThread.run(this.instance.engine::close);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> closing.get(50, TimeUnit.MILLISECONDS));
		keep.say(true);
		closing.get(10, TimeUnit.SECONDS);
		assertThat(this.instance.shells().isIdle()).isTrue();
		assertThat(this.instance.losses).isEmpty();
		assertThat(this.store.calls()).extracting(Call::command)
			.containsExactly(Command.ACQUIRE, Command.KEEP, Command.CLOSE);
	}

	@Test
	void lockThatIsHeldAtTheShutdownIsNotKept() {
		this.store.answering(Command.WITHDRAW, (call) -> call.say(true));
		this.instance.hold(LONG);
		this.instance.engine.close();
		this.instance.awaitLoss(LockLost.Reason.SHUTDOWN);
		assertThat(this.store.calls(Command.WITHDRAW)).hasSize(1);
		assertThat(this.store.calls(Command.KEEP)).isEmpty();
	}

	private static CompletableFuture<Boolean> release(Lease lease) {
		return lease.releaseAsync().toCompletableFuture();
	}

}
