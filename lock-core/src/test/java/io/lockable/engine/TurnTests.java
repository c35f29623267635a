package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.QueueingLockStore.Yielded;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the turns of instances.
 */
class TurnTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void turnEndsAfterItsHandOffsWhenOthersWait() {
		this.store.answering(Command.TRANSFER, (call) -> call.grant(nextToken(), true));
		Lease last = passThrough(this.instance.hold(new Granted(2, 10, true, 0)),
				ScriptedInstance.HOLDERS_OF_A_TURN - 1);
		assertThat(this.store.calls(Command.YIELD_TURN)).isEmpty();
		CompletableFuture<Lease> next = this.instance.acquire(ScriptedInstance.WAITING);
		CompletableFuture<Boolean> released = OwnThread.supply(last::release);
		Call yield = this.store.take(Command.YIELD_TURN);
		// Not always that of the last holder: hand-offs may be faster than their answers.
		List<Call> told = this.store.calls(Command.TRANSFER);
		assertThat(yield.owner()).isEqualTo(told.get(told.size() - 1).other());
		assertThat(next).isNotDone();
		yield.say(new Yielded(true, yield.refusal(HOUR)));
		assertThat(ScriptedInstance.get(released)).isTrue();
		assertThat(next).isNotDone();
		this.store.grant(yieldedTo(yield), 1_000);
		assertThat(ScriptedInstance.get(next).owner()).isEqualTo(yield.other());
	}

	@Test
	void yieldThatFailsGivesTheOwnerBack() {
		Lease first = this.instance.hold(new Granted(2, 10, true, 0));
		this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.endTurn();
		CompletableFuture<Boolean> released = OwnThread.supply(first::release);
		Call yield = this.store.take(Command.YIELD_TURN);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		yield.fail(false);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(yield.owner());
		assertThat(ScriptedInstance.failure(released)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void yieldThatFailsGivesTheOwnerBackAndAsksAgainForTheNext() {
		Lease first = this.instance.hold(new Granted(2, 10, true, 0));
		CompletableFuture<Lease> next = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.endTurn();
		CompletableFuture<Boolean> released = OwnThread.supply(first::release);
		Call yield = this.store.take(Command.YIELD_TURN);
		yield.fail(false);
		assertThat(ScriptedInstance.failure(released)).isInstanceOf(LockStoreException.class);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(yield.owner());
		this.instance.advance(Duration.ofSeconds(1));
		Call again = this.store.take(Command.ENQUEUE);
		assertThat(again.owner()).isEqualTo(yield.other());
		again.grant(20);
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
	}

	@Test
	void yieldWithoutAnAnswerAsksAgainForTheNext() {
		Lease first = this.instance.hold(new Granted(2, 10, true, 0));
		CompletableFuture<Lease> next = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.endTurn();
		OwnThread.run(first::close);
		Call yield = this.store.take(Command.YIELD_TURN);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(Duration.ofSeconds(1));
		Call again = this.store.take(Command.ENQUEUE);
		assertThat(again.owner()).isEqualTo(yield.other());
		again.grant(20);
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
	}

	private Lease passThrough(Lease first, int handOffs) {
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < handOffs; i++) {
			waiting.add(this.instance.acquire(ScriptedInstance.WAITING));
		}
		Lease current = first;
		for (CompletableFuture<Lease> next : waiting) {
			assertThat(current.release()).isTrue();
			current = ScriptedInstance.get(next);
		}
		return current;
	}

	private long nextToken() {
		return 10L * this.store.calls(Command.TRANSFER).size() + 1;
	}

	private static Call yieldedTo(Call yield) {
		return new Call(Command.ENQUEUE, yield.key(), yield.other(), "", yield.lease(), yield.lastToken(),
				new CompletableFuture<>());
	}

}
