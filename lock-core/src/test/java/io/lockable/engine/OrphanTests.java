package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Attempt;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an acquisition that the store refuses because of an earlier, failed one of
 * the same instance. The give-back of that one is unanswered, for example without the
 * acknowledgement of replicas.
 */
class OrphanTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	private static final LockOptions BRIEF = ScriptedInstance.WAITING.withWaitTime(Duration.ofSeconds(1));

	private static final Duration BACK_OFF = Duration.ofMillis(20);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance(new ScriptedStore(true));

	private final ScriptedStore store = this.instance.store;

	/**
	 * Lets a try fail, up to its give-back.
	 */
	private Call failTry() {
		CompletableFuture<Lease> failed = this.instance.acquire(ONCE);
		this.store.take(Command.ACQUIRE).fail(true);
		assertThat(ScriptedInstance.failure(failed)).isInstanceOf(LockStoreException.class);
		return this.store.take(Command.WITHDRAW);
	}

	private Call tryAndRefuse() {
		Call asked = this.store.take(Command.ACQUIRE);
		asked.refuse(HOUR);
		return asked;
	}

	@Test
	void tryThatIsRefusedForALeftoverIsAskedAgainAfterItsGiveBack() {
		Call giveBack = failTry();
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		Call asked = tryAndRefuse();
		assertThat(tried).as("no contention").isNotDone();
		assertThat(this.store.calls(Command.ACQUIRE)).hasSize(2);
		giveBack.say(true);
		this.instance.advance(BACK_OFF);
		Call again = this.store.take(Command.ACQUIRE);
		assertThat(again.owner()).isEqualTo(asked.owner());
		again.grant(1);
		assertThat(ScriptedInstance.get(tried).isHeld()).isTrue();
	}

	@Test
	void tryFailsWhenTheGiveBackIsUnansweredForTheCommandTimeout() {
		failTry();
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		tryAndRefuse();
		this.instance.advance(BACK_OFF);
		tryAndRefuse();
		assertThat(tried).isNotDone();
		this.instance.advance(Duration.ofSeconds(3));
		tryAndRefuse();
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("may be held by an earlier acquisition of this instance");
	}

	@Test
	void tokenOfATransferThatFailedIsALeftover() {
		Lease first = this.instance.hold(ONCE);
		CompletableFuture<Lease> second = this.instance.acquire(BRIEF);
		first.releaseAsync();
		Call transfer = this.store.take(Command.TRANSFER);
		this.instance.advance(Duration.ofMillis(1100));
		transfer.fail(true);
		assertThat(ScriptedInstance.failure(second)).isInstanceOf(LockStoreException.class);
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		tryAndRefuse();
		this.store.take(Command.WITHDRAW).say(false);
		assertThat(tried).as("there are two owner tokens").isNotDone();
		this.store.take(Command.WITHDRAW).say(true);
		this.instance.advance(BACK_OFF);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(tried).isHeld()).isTrue();
	}

	@Test
	void tokenOfAReleaseThatFailedIsALeftover() {
		Lease first = this.instance.hold(ONCE);
		CompletableFuture<Boolean> released = first.releaseAsync().toCompletableFuture();
		this.store.take(Command.RELEASE).fail(false);
		assertThat(ScriptedInstance.failure(released)).isInstanceOf(LockStoreException.class);
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		tryAndRefuse();
		this.store.take(Command.WITHDRAW).say(true);
		this.instance.advance(BACK_OFF);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(tried).isHeld()).isTrue();
	}

	@Test
	void tryForSeveralKeysThatIsRefusedForALeftoverGoesOnOneByOne() {
		this.store.takesTogether();
		CompletableFuture<Lease> failed = acquireBoth();
		this.store.takeAttempts()
			.forEach((attempt) -> attempt.result().completeExceptionally(new LockStoreException("No replica", null)));
		assertThat(ScriptedInstance.failure(failed)).isInstanceOf(LockStoreException.class);
		CompletableFuture<Lease> tried = acquireBoth();
		List<Attempt> attempts = this.store.takeAttempts();
		attempts.get(0).result().complete(new Refused(HOUR));
		attempts.get(1).result().complete(null);
		Call first = tryAndRefuse();
		assertThat(first.key()).isEqualTo("a");
		assertThat(tried).isNotDone();
		this.store.calls(Command.WITHDRAW).forEach((call) -> call.say(true));
		// The refusal may be processed later, on the thread that sent the command.
		Awaitility.await().until(() -> {
			this.instance.advance(BACK_OFF);
			return this.store.calls(Command.ACQUIRE).size() > 1;
		});
		this.store.take(Command.ACQUIRE).say(new Granted(1));
		this.store.take(Command.ACQUIRE).say(new Granted(1));
		assertThat(ScriptedInstance.get(tried).isHeld()).isTrue();
	}

	@Test
	void nothingIsLeftOfOrphansWhoseLeaseHasEnded() {
		failTry();
		this.instance.advance(Duration.ofMinutes(1));
		this.instance.advance(Duration.ofMinutes(1));
		this.instance.awaitIdle();
		CompletableFuture<Lease> tried = this.instance.acquire(ONCE);
		tryAndRefuse();
		assertThat(ScriptedInstance.failure(tried)).isInstanceOf(LockNotAcquiredException.class);
	}

	private CompletableFuture<Lease> acquireBoth() {
		return this.instance.engine.getAll(List.of("a", "b"), ONCE).acquireAsync();
	}

}
