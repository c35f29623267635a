package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.runtime.StillRuntime;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEngine#verify}, and for an engine with a given runtime.
 */
class VerifyTests {

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	@Test
	void verifyTellsOfALeaseThatIsNotHeldAnyMore() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE.withRenewal(Renewal.OFF));
		this.instance.engine.verify("k");
		assertThat(lease.isHeld()).as("before the answer").isTrue();
		this.instance.store.take(Command.EXTEND).say(false);
		assertThat(lease.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void verifyOfAHeldLeaseChangesNothing() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE.withRenewal(Renewal.OFF));
		this.instance.clock.advance(Duration.ofSeconds(5));
		Duration left = lease.remaining();
		this.instance.engine.verify("k");
		ScriptedStore.Call asked = this.instance.store.take(Command.EXTEND);
		assertThat(asked.lease()).isLessThanOrEqualTo(left);
		asked.say(true);
		assertThat(lease.remaining()).isEqualTo(left);
	}

	@Test
	void verifyOfAnotherLockAsksNothing() {
		this.instance.hold(ScriptedInstance.ONCE);
		this.instance.engine.verify("other");
		assertThat(this.instance.store.calls(Command.EXTEND)).isEmpty();
	}

	@Test
	void givenRuntimeRunsDueTasksUntilTheEngineIsClosed() {
		StillRuntime runtime = new StillRuntime();
		LockEngine engine = LockEngine.builder(this.instance.store)
			.runtime(runtime)
			.shutdownTimeout(Duration.ZERO)
			.build();
		CompletableFuture<Lease> acquired = engine.get("k", ScriptedInstance.ONCE.withRenewal(Renewal.OFF))
			.acquireAsync();
		this.instance.store.take(Command.ACQUIRE).grant(1);
		Lease lease = ScriptedInstance.get(acquired);
		runtime.move(TimeUnit.SECONDS.toNanos(9));
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.lost().toCompletableFuture()).as("before the timer").isNotDone();
		runtime.runScheduled();
		assertThat(lease.lost().toCompletableFuture()).as("after the timer").isDone();
		this.instance.store.answerAll();
		engine.close();
		assertThat(runtime.scheduled()).as("tasks of a closed engine").isEmpty();
	}

}
