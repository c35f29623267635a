package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for a lock that is kept for its shortest hold, although its holder is done.
 */
class MinHoldTests {

	private static final LockOptions SHORT = ScriptedInstance.ONCE.withMinHold(Duration.ofSeconds(5));

	private static final LockOptions LONG = ScriptedInstance.ONCE.withMinHold(Duration.ofMinutes(1));

	private static final Duration TINY = Duration.ofMillis(1);

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@BeforeEach
	void answer() {
		this.store.answering(Command.SHORTEN, (call) -> call.say(true));
	}

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void releaseBeforeTheShortestHoldNeitherBlocksNorGivesBack() {
		Lease lease = this.instance.hold(SHORT);
		assertThat(lease.release()).isTrue();
		assertThat(lease.release()).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(SHORT.minHold().minus(TINY));
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(TINY);
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(lease.owner());
		this.store.answerAll();
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void releaseAfterTheShortestHoldGivesBackAtOnce() {
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
		Lease lease = this.instance.hold(SHORT);
		this.instance.advance(SHORT.minHold());
		CompletableFuture<Boolean> released = lease.releaseAsync().toCompletableFuture();
		this.store.take(Command.RELEASE).say(true);
		assertThat(ScriptedInstance.get(released)).isTrue();
	}

	@Test
	void leaseThatCoversTheRestIsNotExtended() {
		this.instance.hold(SHORT).release();
		this.instance.advance(Duration.ofSeconds(4));
		assertThat(this.store.calls(Command.EXTEND)).isEmpty();
	}

	@Test
	void leaseThatEndsTooEarlyIsExtendedOnceToTheRest() {
		Lease lease = this.instance.hold(LONG);
		this.instance.advance(Duration.ofSeconds(1));
		lease.release();
		this.instance.advance(Duration.ZERO);
		Call extension = this.store.take(Command.EXTEND);
		assertThat(extension.owner()).isEqualTo(lease.owner());
		assertThat(extension.lease()).isBetween(Duration.ofSeconds(59), Duration.ofSeconds(61));
		extension.say(true);
		for (int i = 1; i < 59; i++) {
			this.instance.advance(Duration.ofSeconds(1));
		}
		assertThat(this.store.calls(Command.EXTEND)).hasSize(1);
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(Duration.ofSeconds(1));
		this.store.take(Command.RELEASE);
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void leaseWithoutRenewalIsExtendedToo() {
		this.instance.hold(LONG.withRenewal(Renewal.OFF)).release();
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND);
	}

	@Test
	void extensionThatFailsIsTriedAgain() {
		this.instance.hold(LONG).release();
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND).fail(true);
		this.instance.advance(Duration.ofMillis(100));
		this.store.take(Command.EXTEND).say(true);
	}

	@Test
	void endOfAKeptLeaseIsNoLoss() {
		this.instance.hold(LONG).release();
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND).say(false);
		this.store.answerAll();
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void waiterOfTheInstanceGetsTheLockAfterTheShortestHold() {
		this.store.answering(Command.TRANSFER, (call) -> call.grant(11));
		Lease lease = this.instance.hold(SHORT);
		CompletableFuture<Lease> waiting = this.instance.acquire(ScriptedInstance.WAITING);
		lease.close();
		this.instance.advance(SHORT.minHold().minus(TINY));
		assertThat(waiting).isNotDone();
		this.instance.advance(TINY);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void releaseLaterKeepsTheLockForThatTimeFromNowOn() {
		Lease lease = this.instance.hold(LONG);
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(lease.releaseAfter(Duration.ofSeconds(3))).isTrue();
		assertThat(lease.isHeld()).isFalse();
		this.instance.advance(Duration.ofSeconds(3).minus(TINY));
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(TINY);
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(lease.owner());
	}

	@Test
	void releaseLaterThanTheLeaseExtendsIt() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE.withRenewal(Renewal.OFF));
		lease.releaseAfter(Duration.ofMinutes(1));
		this.instance.advance(Duration.ZERO);
		assertThat(this.store.take(Command.EXTEND).lease()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
	}

	@Test
	void releaseAfterNoTimeGivesBackAtOnce() {
		Lease lease = this.instance.hold(LONG);
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		assertThat(lease.releaseAfter(Duration.ZERO)).isTrue();
		assertThat(this.store.calls(Command.RELEASE)).hasSize(1);
	}

	@Test
	void releaseLaterOfAReleasedLeaseChangesNothing() {
		Lease lease = this.instance.hold(SHORT);
		lease.release();
		assertThat(lease.releaseAfter(Duration.ofHours(1))).isTrue();
		this.instance.advance(SHORT.minHold());
		this.store.take(Command.RELEASE);
	}

	@Test
	void releaseLaterOfALostLeaseSaysSo() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE.withRenewal(Renewal.OFF));
		this.instance.advance(ScriptedInstance.ONCE.lease());
		assertThat(lease.releaseAfter(Duration.ofHours(1))).isFalse();
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
	void threadHoldsNothingWhileItsLockIsKept() {
		try (LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build()) {
			DistributedLock lock = engine.get("k", LockOptions.defaults().withMinHold(Duration.ofHours(1)));
			lock.run(() -> assertThat(lock.tryLock()).isTrue());
			assertThat(lock.holdCount()).isOne();
			lock.unlock();
			assertThat(lock.holdCount()).isZero();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(lock.tryLock()).isFalse();
			assertThat(lock.isLocked()).isTrue();
		}
	}

	@Test
	void shutdownLeavesAKeptLockInTheStore() {
		this.instance.hold(SHORT).release();
		this.instance.engine.close();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		assertThat(this.instance.losses).isEmpty();
		assertThat(this.instance.queues().isIdle()).isTrue();
	}

	@Test
	void shutdownLeavesAKeptLockWhoseExtensionIsNotAnswered() {
		this.instance.hold(LONG).release();
		this.instance.advance(Duration.ZERO);
		this.store.take(Command.EXTEND);
		this.instance.engine.close();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
	}

}
