package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Granted;
import io.lockable.store.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for grants that a paused process reads late, after newer answers or before older
 * ones.
 */
class LateGrantTests {

	private static final Duration HOUR = Duration.ofHours(1);

	// Longer than the lease.
	private static final Duration SLOW_LOOK = Duration.ofSeconds(10);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	@ParameterizedTest
	@EnumSource
	void grantOlderThanARefusalIsNotBelieved(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = queue(kind);
		Granted late = granted(queued, 7);
		this.instance.advance(SLOW_LOOK);
		this.store.take(kind.enqueue).refuse(HOUR);
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
		Call asked = this.store.take(kind.enqueue);
		assertThat(asked.owner()).isEqualTo(queued.owner());
		asked.refuse(HOUR);
		assertNothingIsHeld(waiting);
		int calls = this.store.calls().size();
		this.store.grant(queued, granted(queued, 27));
		Lease lease = ScriptedInstance.get(waiting);
		assertThat(lease.fencingToken()).isEqualTo(27);
		assertThat(lease.remaining()).isBetween(Duration.ofSeconds(8), WAITING.lease());
		assertThat(this.store.calls()).as("a grant that is newer is believed").hasSize(calls);
	}

	@ParameterizedTest
	@EnumSource
	void grantBeforeARefusalIsNotBelievedAfterTheClockOfTheServerStepsBack(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = queue(kind);
		// Ahead of the time of the refusal, as a clock that is set back in between leaves
		// it.
		Granted late = new Granted(7, 16, false, Long.MAX_VALUE);
		this.instance.advance(SLOW_LOOK);
		this.store.take(kind.enqueue).say(new Refused(HOUR, late.lastToken()));
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
	}

	@ParameterizedTest
	@EnumSource
	void grantThatAFailoverLostIsNotBelievedAfterALaterRefusal(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = ask(kind);
		queued.say(new Refused(HOUR));
		this.store.grant(queued, new Granted(27, 36, false, 1));
		this.store.take(kind.enqueue).say(new Refused(HOUR, 16));
		assertNothingIsHeld(waiting);
	}

	@ParameterizedTest
	@EnumSource
	void grantWhoseLeaseEndedIsNotBelievedBeforeTheRefusalEither(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = queue(kind);
		Granted late = granted(queued, 7);
		this.instance.advance(SLOW_LOOK);
		Call look = this.store.take(kind.enqueue);
		this.store.grant(queued, late);
		Call confirmation = this.store.take(Command.TRANSFER);
		look.refuse(HOUR);
		confirmation.refuse(HOUR);
		Call again = this.store.takeAsk();
		assertThat(again.owner()).isEqualTo(queued.owner());
		assertNothingIsHeld(waiting);
		again.grant(27);
		assertThat(ScriptedInstance.get(waiting).fencingToken()).isEqualTo(27);
	}

	@ParameterizedTest
	@EnumSource
	void tokenOfALateGrantIsNotWithdrawnWhileItIsAskedForAgain(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = queue(kind);
		Granted late = granted(queued, 7);
		this.instance.advance(SLOW_LOOK);
		this.store.take(kind.enqueue);
		this.store.grant(queued, late);
		this.store.take(Command.TRANSFER);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT.plusMillis(1));
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		Call again = this.store.takeAsk();
		assertThat(again.owner()).isEqualTo(queued.owner());
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		again.grant(27);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void grantBeforeAnyAnswerWaitsForIt(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = ask(kind);
		Granted late = granted(queued, 7);
		this.instance.clock.advance(Duration.ofSeconds(1));
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
		queued.refuse(HOUR);
		assertNothingIsHeld(waiting);
	}

	@Test
	void grantThatOvertakesTheRefusalIsBelievedWithIt() {
		CompletableFuture<Lease> waiting = this.instance.acquire(WAITING);
		Call queued = ask(Kind.EXCLUSIVE);
		Refused refused = queued.refusal(HOUR);
		this.instance.clock.advance(Duration.ofSeconds(1));
		int calls = this.store.calls().size();
		this.store.grant(queued, granted(queued, 7));
		queued.say(refused);
		assertThat(ScriptedInstance.get(waiting).remaining()).as("counts from the question")
			.isBetween(Duration.ofMillis(7_500), Duration.ofSeconds(8));
		assertThat(this.store.calls()).hasSize(calls);
	}

	@ParameterizedTest
	@EnumSource
	void grantAfterAnAskThatFailedIsNotCountedFromALaterOne(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = ask(kind);
		Granted late = granted(queued, 7);
		queued.fail(true);
		this.instance.advance(WAITING.lease().plusMillis(100));
		Call again = this.store.take(kind.enqueue);
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
		again.refuse(HOUR);
		assertNothingIsHeld(waiting);
	}

	@ParameterizedTest
	@EnumSource
	void grantAfterAnAskThatWasNotAnsweredIsNotCountedFromALaterOne(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = queue(kind);
		// A second command is not answered, and the third one is refused.
		this.instance.advance(SLOW_LOOK);
		this.store.take(kind.enqueue);
		Granted late = granted(queued, 7);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(WAITING.lease());
		Call third = this.store.take(kind.enqueue);
		third.refuse(HOUR);
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
		this.store.take(kind.enqueue).refuse(HOUR);
		assertNothingIsHeld(waiting);
	}

	@ParameterizedTest
	@EnumSource
	void grantOfAStoreThatReportsNoLastTokenIsAskedFor(Kind kind) {
		CompletableFuture<Lease> waiting = kind.acquire(this.instance.engine);
		Call queued = ask(kind);
		queued.say(new Refused(HOUR));
		this.store.grant(queued, new Granted(7));
		assertNothingIsHeld(waiting);
		this.store.take(kind.enqueue).say(new Granted(7));
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	@Test
	void grantAfterARefusalWithoutTheLastTokenIsAskedFor() {
		CompletableFuture<Lease> waiting = this.instance.acquire(WAITING);
		Call queued = queue(Kind.EXCLUSIVE);
		this.store.inbox().resubscribed();
		this.store.take(Command.ENQUEUE).say(new Refused(HOUR));
		this.store.grant(queued, granted(queued, 7));
		assertNothingIsHeld(waiting);
		this.store.take(Command.ENQUEUE).grant(7);
		assertThat(ScriptedInstance.get(waiting).isHeld()).isTrue();
	}

	@Test
	void sameGrantAfterTheLockWasLostAgainIsNotBelieved() {
		CompletableFuture<Lease> waiting = this.instance.acquire(WAITING);
		Call queued = queue(Kind.EXCLUSIVE);
		Granted late = granted(queued, 7);
		this.instance.clock.advance(Duration.ofSeconds(6));
		this.store.grant(queued, late);
		// Nearly expired by the known times: the store is asked, and refuses.
		this.store.take(Command.TRANSFER).refuse(HOUR);
		Call again = this.store.take(Command.ENQUEUE);
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
		again.refuse(HOUR);
		this.store.grant(queued, late);
		assertNothingIsHeld(waiting);
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		assertNothingIsHeld(waiting);
	}

	@Test
	void answerThatIsReadAfterItsLeaseEndedIsNotEnteredOn() {
		CompletableFuture<Lease> waiting = this.instance.acquire(WAITING);
		Call asked = this.store.take(Command.ACQUIRE);
		this.instance.clock.advance(WAITING.lease());
		asked.grant(7);
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void transferThatIsReadAfterItsLeaseEndedIsNotEnteredOn() {
		CompletableFuture<Lease> waiting = this.instance.acquire(WAITING);
		Call queued = queue(Kind.EXCLUSIVE);
		Granted late = granted(queued, 7);
		this.instance.clock.advance(Duration.ofSeconds(6));
		this.store.grant(queued, late);
		Call confirmation = this.store.take(Command.TRANSFER);
		this.instance.clock.advance(WAITING.lease());
		confirmation.grant(7);
		assertThat(ScriptedInstance.failure(waiting)).isInstanceOf(LockStoreException.class);
	}

	// The future is completed on another thread, after the lease is registered.
	private void assertNothingIsHeld(CompletableFuture<Lease> waiting) {
		assertThat(this.instance.shells().leases()).isEmpty();
		assertThat(waiting).isNotDone();
	}

	/**
	 * Answers for the store until a waiter is queued.
	 */
	private Call queue(Kind kind) {
		Call queued = ask(kind);
		queued.refuse(HOUR);
		return queued;
	}

	private Call ask(Kind kind) {
		this.store.take(kind.acquire).say(new Refused(HOUR));
		this.store.take(Command.SUBSCRIBE).say(true);
		return this.store.take(kind.enqueue);
	}

	/**
	 * Lets the server grant the lock now, without a message.
	 */
	private static Granted granted(Call queued, long token) {
		return queued.granted(token, false);
	}

	/**
	 * The kinds of acquisitions.
	 */
	enum Kind {

		EXCLUSIVE(Command.ACQUIRE, Command.ENQUEUE),

		FAIR(Command.ACQUIRE, Command.ENQUEUE),

		READ(Command.ACQUIRE_SHARED, Command.ENQUEUE_SHARED),

		WRITE(Command.ACQUIRE, Command.ENQUEUE),

		PERMIT(Command.ACQUIRE_SHARED, Command.ENQUEUE_SHARED);

		private final Command acquire;

		private final Command enqueue;

		Kind(Command acquire, Command enqueue) {
			this.acquire = acquire;
			this.enqueue = enqueue;
		}

		CompletableFuture<Lease> acquire(DistributedLocks locks) {
			return switch (this) {
				case EXCLUSIVE -> locks.get("k", WAITING).acquireAsync();
				case FAIR -> locks.get("k", WAITING.withFair(true)).acquireAsync();
				case READ -> locks.getReadWriteLock("k", WAITING).readLock().acquireAsync();
				case WRITE -> locks.getReadWriteLock("k", WAITING).writeLock().acquireAsync();
				case PERMIT -> locks.getSemaphore("k", 2, WAITING).acquireAsync();
			};
		}

	}

}
