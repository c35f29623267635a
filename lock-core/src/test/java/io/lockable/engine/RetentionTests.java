package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that an instance retains after their release.
 */
class RetentionTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/**
	 * A lease of 9 s, and one try.
	 */
	private static final LockOptions RETAINING = ScriptedInstance.ONCE.withRetain(MINUTE);

	private final ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance(new ScriptedStore(),
			new ListenerToAll(this.events::add));

	private final ScriptedStore store = this.instance.store;

	private final DistributedLock lock = this.instance.engine.get("k", RETAINING);

	/**
	 * Nothing is retained before the instance is subscribed.
	 */
	@BeforeEach
	void subscribe() {
		this.store.answering(Command.SUBSCRIBE, (call) -> call.say(true));
		Lease first = this.instance.hold(RETAINING);
		first.releaseAsync();
		this.store.take(Command.RELEASE).say(true);
		this.instance.awaitIdle();
		await().until(() -> this.events.size() == 2);
		this.events.clear();
	}

	/**
	 * Acquires the lock and releases it. It has the tokens 1 to 10, and the first one is
	 * used.
	 */
	private Lease retain() {
		Lease lease = this.instance.hold(RETAINING);
		assertThat(lease.release()).isTrue();
		return lease;
	}

	private Lease enter() {
		return enter(RETAINING);
	}

	private Lease enter(LockOptions options) {
		return ScriptedInstance.get(this.instance.acquire(options));
	}

	@Test
	void retainedLockIsEnteredWithoutACommand() {
		retain();
		int commands = this.store.calls().size();
		Lease second = enter();
		assertThat(second.isHeld()).isTrue();
		assertThat(second.fencingToken()).isEqualTo(2);
		assertThat(second.release()).isTrue();
		assertThat(this.store.calls()).hasSize(commands);
	}

	@Test
	void callsRunWithoutACommand() throws Exception {
		retain();
		int commands = this.store.calls().size();
		assertThat(this.lock.<Integer>call(() -> 42)).isEqualTo(42);
		this.lock.run(() -> assertThat(this.lock.lease().fencingToken()).isEqualTo(3));
		try (Lease lease = this.lock.acquire()) {
			assertThat(lease.fencingToken()).isEqualTo(4);
		}
		assertThat(this.lock.tryAcquire()).get().satisfies(Lease::close);
		assertThat(this.store.calls()).hasSize(commands);
		assertThat(this.instance.engine.retained()).hasSize(1);
	}

	@Test
	void retainedLocksAreListed() {
		Lease first = retain();
		assertThat(this.instance.engine.holdings()).isEmpty();
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(this.instance.engine.retained()).singleElement().satisfies((retained) -> {
			assertThat(retained.key()).isEqualTo("k");
			assertThat(retained.owner()).isEqualTo(first.owner()).endsWith("@here");
			assertThat(retained.remaining()).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(7));
		});
		enter();
		assertThat(this.instance.engine.retained()).isEmpty();
	}

	@Test
	void acquirerWhoseNotificationRunsOutOfMemoryHoldsNothing() {
		retain();
		this.instance.clock.onRead(RetentionTests::failInGrant);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.lock::acquire);
		this.instance.clock.onRead(() -> {
		});
		assertThat(this.instance.engine.holdings()).isEmpty();
		assertThat(this.instance.engine.retained()).hasSize(1);
	}

	private static void failInGrant() {
		if (StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch((frame) -> frame.getMethodName().equals("give")))) {
			throw new OutOfMemoryError();
		}
	}

	@Test
	void retainedLockIsNotLocked() {
		retain();
		assertThat(this.lock.isLocked()).isFalse();
		assertThat(this.store.calls(Command.IS_LOCKED)).isEmpty();
		enter();
		this.store.answering(Command.IS_LOCKED, (call) -> call.say(true));
		assertThat(this.lock.isLocked()).isTrue();
	}

	@Test
	void lockIsRetainedForItsTime() {
		Lease brief = this.instance.hold(RETAINING.withRetain(Duration.ofSeconds(1)));
		assertThat(brief.release()).isTrue();
		this.instance.advance(Duration.ofMillis(999));
		assertThat(this.instance.engine.retained()).hasSize(1);
		this.instance.advance(Duration.ofMillis(1));
		Call release = this.store.take(Command.RELEASE);
		assertThat(release.owner()).isEqualTo(brief.owner());
		release.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void requestThatDoesNotRetainSendsItsOwnerToken() {
		Lease first = retain();
		Lease plain = enter(ScriptedInstance.ONCE);
		assertThat(plain.owner()).doesNotContain("@");
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(transfer.owner()).isEqualTo(first.owner());
		assertThat(transfer.other()).isEqualTo(plain.owner());
		transfer.grant(11);
		CompletableFuture<Boolean> released = plain.releaseAsync().toCompletableFuture();
		Call release = this.store.take(Command.RELEASE);
		assertThat(release.owner()).isEqualTo(plain.owner());
		release.say(true);
		assertThat(ScriptedInstance.get(released)).isTrue();
	}

	@Test
	void resubscriptionEndsRetention() {
		Lease first = retain();
		this.store.inbox().resubscribed();
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(first.owner());
		assertThat(this.instance.engine.retained()).isEmpty();
	}

	@Test
	void forcedReleaseEndsRetention() {
		Lease first = retain();
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		ForcedRelease forced = this.instance.engine.forceRelease("k", heldBy(first));
		assertThat(forced.released()).hasSize(1);
		assertThat(this.instance.engine.retained()).isEmpty();
		this.instance.awaitIdle();
		assertThat(this.instance.hold(RETAINING).isHeld()).isTrue();
	}

	private static StoredLock heldBy(Lease lease) {
		return new StoredLock(List.of(new StoredLock.Holder(lease.owner(), MINUTE)), false, 0);
	}

	@Test
	void closingGivesRetainedLocksBackBeforeHoldersAreDone() {
		try (ScriptedInstance patient = new ScriptedInstance(new ScriptedStore(),
				(builder) -> builder.shutdownTimeout(MINUTE))) {
			patient.store.answering(Command.SUBSCRIBE, (call) -> call.say(true));
			patient.hold(RETAINING).releaseAsync();
			patient.store.take(Command.RELEASE).say(true);
			patient.awaitIdle();
			Lease retained = patient.hold(RETAINING);
			assertThat(retained.release()).isTrue();
			CompletableFuture<Lease> other = patient.engine.get("other", RETAINING).acquireAsync();
			patient.store.take(Command.ACQUIRE).grant(1);
			Lease held = ScriptedInstance.get(other);
			long start = System.nanoTime();
			CompletableFuture<Void> closed = OwnThread.run(patient.engine::close);
			Call release = patient.store.take(Command.RELEASE);
			assertThat(release.owner()).isEqualTo(retained.owner());
			release.say(true);
			assertThat(held.isHeld()).isTrue();
			held.releaseAsync();
			release = patient.store.take(Command.RELEASE);
			assertThat(release.owner()).isEqualTo(held.owner());
			release.say(true);
			ScriptedInstance.get(closed);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
			assertThat(patient.losses).isEmpty();
			assertThat(patient.store.calls()).last().returns(Command.CLOSE, Call::command);
		}
	}

	@Test
	void recallGivesARetainedLockBack() {
		Lease first = retain();
		this.store.inbox().recalled(new Recall("k", first.owner(), "other", "there"));
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(first.owner());
		assertThat(this.instance.engine.retained()).isEmpty();
		assertThat(this.store.calls(Command.ANSWER_BUSY)).isEmpty();
	}

	@Test
	void holderAnswersARecallAndGivesBackAfterwards() {
		Lease first = retain();
		Lease second = enter();
		this.store.inbox().recalled(new Recall("k", first.owner(), "other", "there"));
		Call busy = this.store.take(Command.ANSWER_BUSY);
		assertThat(busy).returns("other", Call::owner).returns("there", Call::other);
		busy.fail(false);
		assertThat(second.isHeld()).isTrue();
		second.releaseAsync();
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(first.owner());
	}

	@Test
	void severalKeysAndSharesCannotBeRetained() {
		LockEngine engine = this.instance.engine;
		refused("A lock of several keys", () -> engine.getAll(List.of("a", "b"), RETAINING));
		refused("A read/write lock", () -> engine.getReadWriteLock("k", RETAINING));
		refused("A semaphore", () -> engine.getSemaphore("k", 2, RETAINING));
	}

	private static void refused(String kind, ThrowingCallable call) {
		assertThatIllegalArgumentException().isThrownBy(call)
			.withMessage(kind + " cannot be retained: set 'retain' to zero, was 1m");
	}

	@Test
	void storeThatCannotRecallCannotRetain() {
		refusesRetain(new PlainStore(new ScriptedStore(), false), "PlainStore");
		refusesRetain(new ScriptedStore(true), "ScriptedStore");
	}

	private static void refusesRetain(LockStore store, String name) {
		LockEngine engine = LockEngine.builder(store).shutdownTimeout(Duration.ZERO).build();
		try (engine) {
			assertThatIllegalArgumentException().isThrownBy(() -> engine.get("k", RETAINING))
				.withMessage(name + " cannot retain locks: use a RecallingLockStore that does not wait for replicas,"
						+ " or set 'retain' to zero");
			assertThat(engine.get("k", ScriptedInstance.ONCE).key()).isEqualTo("k");
		}
	}

	@Test
	void lockOfSeveralKeysEntersOnARetainedOne() {
		retain();
		CompletableFuture<Lease> both = this.instance.engine.getAll(List.of("k", "other"), ScriptedInstance.ONCE)
			.acquireAsync();
		this.store.take(Command.TRANSFER).grant(11);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(both).fencingToken("k")).isEqualTo(2);
	}

}
