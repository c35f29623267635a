package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox.Grant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a nested call with other options than the outer call.
 */
class NestedCallTests {

	private static final LockOptions SHORT = unrenewed(Duration.ofSeconds(3));

	private static final LockOptions LONG = unrenewed(Duration.ofSeconds(30));

	private static final LockOptions RENEWED = LockOptions.defaults().withLease(Duration.ofSeconds(9));

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private final HoldingThread thread = new HoldingThread();

	private static LockOptions unrenewed(Duration lease) {
		return LockOptions.defaults().withLease(lease).withRenewal(Renewal.OFF);
	}

	@BeforeEach
	void answer() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
	}

	@AfterEach
	void close() throws InterruptedException {
		this.instance.close();
		this.thread.end();
	}

	private DistributedLock lock(LockOptions options) {
		return this.instance.engine.get("k", options);
	}

	private boolean enter(LockOptions options) {
		return this.thread.run(lock(options)::tryLock);
	}

	private void leave() {
		ScriptedInstance.get(this.thread.unlock(lock(SHORT)));
	}

	private Duration remaining() {
		return this.thread.run(() -> lock(SHORT).lease().remaining());
	}

	private void answerExtensions() {
		this.store.answering(Command.EXTEND, (call) -> call.say(true));
	}

	private int extensions() {
		return this.store.calls(Command.EXTEND).size();
	}

	private void live(Duration time) {
		for (long left = time.toMillis(); left > 0; left -= 500) {
			this.instance.advance(Duration.ofMillis(500));
		}
	}

	@Test
	void nestedCallWithALongerLeaseProlongsTheLockBeforeItRuns() {
		enter(SHORT);
		this.instance.advance(Duration.ofSeconds(2));
		CompletableFuture<Boolean> nested = this.thread.start(lock(LONG)::tryLock);
		Call extend = this.store.take(Command.EXTEND);
		assertThat(extend.owner()).isEqualTo(this.store.calls(Command.ACQUIRE).get(0).owner());
		assertThat(nested).isNotDone();
		extend.say(true);
		assertThat(ScriptedInstance.get(nested)).isTrue();
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(29));
		leave();
		assertThat(remaining()).as("never shortened").isGreaterThan(Duration.ofSeconds(29));
		leave();
		this.instance.awaitIdle();
	}

	@Test
	void nestedCallThatFindsTheTimeItAsksForSendsNothing() {
		enter(LONG);
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(enter(SHORT)).isTrue();
		assertThat(enter(LONG)).as("nine tenths of it are left").isTrue();
		leave();
		leave();
		leave();
		assertThat(extensions()).isZero();
	}

	/**
	 * The grant of another instance sets a short lease, which the holder still has to
	 * extend.
	 */
	@Test
	void nestedCallWithAShorterRenewedLeaseLeavesTheCallAroundItsLease() {
		this.store.answering(Command.ACQUIRE, (call) -> call.refuse(Duration.ofHours(1)));
		CompletableFuture<Boolean> entered = this.thread.start(() -> lock(LONG).tryLock(1, TimeUnit.MINUTES));
		this.store.take(Command.SUBSCRIBE).say(true);
		Call queued = this.store.take(Command.ENQUEUE);
		queued.refuse(Duration.ofHours(1));
		Granted granted = queued.granted(7, false);
		this.store.inbox().granted(new Grant("k", queued.owner(), granted, Duration.ofSeconds(8)));
		assertThat(ScriptedInstance.get(entered)).isTrue();
		assertThat(enter(RENEWED)).isTrue();
		answerExtensions();
		live(Duration.ofSeconds(7));
		leave();
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void limitOfRenewalThatIsNearDoesNotCountAsRenewal() {
		answerExtensions();
		enter(RENEWED.withMaxHold(Duration.ofSeconds(10)));
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(enter(unrenewed(RENEWED.lease()))).isTrue();
		assertThat(extensions()).isOne();
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void nestedCallWithRenewalKeepsTheLockForAsLongAsItRuns() {
		answerExtensions();
		enter(SHORT);
		enter(RENEWED);
		live(Duration.ofMinutes(1));
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isTrue();
		int renewals = extensions();
		assertThat(renewals).as("one in three seconds").isBetween(10, 40);
		leave();
		live(Duration.ofSeconds(10));
		assertThat(extensions()).as("none for the call around").isEqualTo(renewals);
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isFalse();
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
	}

	@Test
	void renewalGoesOnForTheNestedCallWhenThatOfTheCallAroundIsLimited() {
		answerExtensions();
		enter(RENEWED.withMaxHold(Duration.ofSeconds(10)));
		enter(RENEWED);
		live(Duration.ofSeconds(60));
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isTrue();
		leave();
		live(Duration.ofSeconds(20));
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isFalse();
		this.instance.awaitLoss(LockLost.Reason.MAX_HOLD);
	}

	@Test
	void nestedCallIsNotEnteredWhenTheStoreFails() {
		enter(SHORT);
		CompletableFuture<Boolean> nested = this.thread.start(lock(LONG)::tryLock);
		this.store.take(Command.EXTEND).fail(false);
		assertThat(ScriptedInstance.failure(nested)).isInstanceOf(LockStoreException.class).hasMessageContaining("'k'");
		assertThat(this.thread.run(lock(SHORT)::holdCount)).isOne();
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isTrue();
	}

	@Test
	void nestedCallThatFindsTheLockLostAcquiresItAnew() {
		enter(SHORT);
		CompletableFuture<Boolean> nested = this.thread.start(lock(LONG)::tryLock);
		this.store.take(Command.EXTEND).say(false);
		assertThat(ScriptedInstance.get(nested)).isTrue();
		assertThat(this.store.calls(Command.ACQUIRE)).hasSize(2);
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(29));
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void nestedCallKeepsTheLockForItsShortestHold() {
		answerExtensions();
		enter(SHORT);
		enter(LONG.withMinHold(Duration.ofSeconds(20)));
		leave();
		this.store.answering(Command.KEEP, (call) -> call.say(true));
		leave();
		assertThat(this.store.calls(Command.KEEP)).singleElement()
			.satisfies((call) -> assertThat(call.lease()).isGreaterThan(Duration.ofSeconds(15)));
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
	}

	@Test
	void readLockWithinTheWriteLockProlongsItAndIsRenewed() {
		answerExtensions();
		this.store.answering(Command.DOWNGRADE, (call) -> call.grant(11));
		DistributedReadWriteLock sides = this.instance.engine.getReadWriteLock("k", RENEWED);
		enter(SHORT);
		this.thread.run(sides.readLock()::tryLock);
		live(Duration.ofSeconds(20));
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isTrue();
		leave();
		live(Duration.ofSeconds(20));
		assertThat(this.thread.run(sides.readLock()::isHeldByCurrentThread)).as("on terms of its own").isTrue();
		ScriptedInstance.get(this.thread.unlock(sides.readLock()));
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void renewalEndsWithTheLastNestedCallThatWantsIt() {
		answerExtensions();
		DistributedReadWriteLock sides = this.instance.engine.getReadWriteLock("k", RENEWED);
		enter(SHORT);
		this.thread.run(sides.readLock()::tryLock);
		enter(RENEWED);
		ScriptedInstance.get(this.thread.unlock(sides.readLock()));
		live(Duration.ofSeconds(20));
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isTrue();
		leave();
		live(Duration.ofSeconds(20));
		assertThat(this.thread.run(lock(SHORT)::isHeldByCurrentThread)).isFalse();
	}

}
