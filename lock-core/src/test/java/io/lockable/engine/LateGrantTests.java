package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import org.junit.jupiter.api.AutoClose;
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

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

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
