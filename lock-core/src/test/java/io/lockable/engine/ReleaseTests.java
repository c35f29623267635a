package io.lockable.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for releases, explicit and after a body.
 */
@SuppressWarnings("LockNotBeforeTry")
class ReleaseTests {

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	private static final LockOptions PIPELINED = ONCE.withRelease(ReleaseMode.PIPELINED);

	private static final Duration RETRY = Duration.ofMillis(250);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private final DistributedLock lock = this.instance.engine.get("k", ONCE);

	@Test
	void pipelinedReleaseAfterTheDeadlineSaysThatTheLockWasNotOurs() {
		Lease lease = this.instance.hold(ScriptedInstance.WAITING.withRelease(ReleaseMode.PIPELINED));
		this.instance.clock.advance(ScriptedInstance.WAITING.lease());
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.release()).isFalse();
	}

	@Test
	void releaseWaitsForTheAnswer() {
		Lease lease = this.instance.hold(ONCE);
		CompletableFuture<Boolean> released = OwnThread.supply(lease::release);
		Call release = this.store.take(Command.RELEASE);
		assertThat(release.owner()).isEqualTo(lease.owner());
		assertThat(released).isNotDone();
		assertThat(lease.isHeld()).isFalse();
		release.say(true);
		assertThat(ScriptedInstance.get(released)).isTrue();
		this.instance.awaitIdle();
	}

	@Test
	void releasingAgainGivesTheSameAnswerWithoutAnotherCommand() {
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		Lease lease = this.instance.hold(ONCE);
		assertThat(lease.release()).isTrue();
		this.store.answering(Command.RELEASE, (call) -> call.say(false));
		assertThat(lease.release()).isTrue();
		lease.close();
		assertThat(this.store.calls(Command.RELEASE)).hasSize(1);
	}

	@Test
	void pipelinedReleaseWaitsIfTheNextCommandMayOvertakeIt() {
		this.store.reorders();
		Lease lease = this.instance.hold(PIPELINED);
		CompletableFuture<Boolean> released = OwnThread.supply(lease::release);
		Call release = this.store.take(Command.RELEASE);
		assertThat(released).isNotDone();
		release.fail(false);
		assertThat(ScriptedInstance.get(released)).isTrue();
	}

	@Test
	void pipelinedReleaseTellsALossLater() {
		Lease lease = this.instance.hold(PIPELINED);
		lease.release();
		this.store.take(Command.RELEASE).say(false);
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void releaseThatFailsThrowsAndIsTriedAgainUntilItSucceeds() {
		this.store.answering(Command.RELEASE, (call) -> call.fail(false));
		Lease lease = this.instance.hold(ONCE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release).withMessageContaining("'k'");
		this.store.take(Command.WITHDRAW).fail(false);
		this.instance.advance(RETRY);
		this.store.take(Command.WITHDRAW).fail(true);
		this.instance.advance(RETRY);
		Call last = this.store.take(Command.WITHDRAW);
		assertThat(last.owner()).isEqualTo(lease.owner());
		last.say(true);
		this.instance.awaitIdle();
		this.instance.advance(RETRY);
		assertThat(this.store.calls(Command.WITHDRAW)).hasSize(3);
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void releaseThatFailsForGoodIsGivenUpWhenTheLeaseHasEnded() {
		this.store.answering(Command.RELEASE, (call) -> call.fail(false));
		this.store.answering(Command.WITHDRAW, (call) -> call.fail(false));
		Lease lease = this.instance.hold(ONCE);
		lease.close();
		assertThat(this.instance.shells().isIdle()).isFalse();
		this.instance.advance(ONCE.lease().multipliedBy(3));
		this.instance.awaitIdle();
	}

	@Test
	void releaseWithoutAnAnswerThrowsAndIsTriedAgainWhenItFails() {
		Lease lease = this.instance.hold(ONCE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release)
			.withMessageContaining("The store did not answer for lock 'k'");
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.store.take(Command.RELEASE).fail(false);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(lease.owner());
	}

	@Test
	void abandonmentWithoutAnAnswerIsGivenUpWhenTheLeaseHasEnded() {
		this.store.answering(Command.RELEASE, (call) -> call.fail(false));
		this.instance.hold(ONCE).close();
		this.store.take(Command.WITHDRAW);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(this.store.calls(Command.WITHDRAW)).hasSize(1);
		this.instance.advance(Duration.ofMinutes(1));
		this.instance.advance(Duration.ofMinutes(1));
		this.instance.awaitIdle();
	}

	@Test
	void releaseIsNotOvertakenByTheWithdrawalOfOtherOwners() {
		CompletableFuture<Lease> other = this.instance.engine.get("other", ONCE).acquireAsync();
		this.store.take(Command.ACQUIRE).grant(1);
		this.store.answering(Command.RELEASE, (call) -> call.fail(false));
		this.store.answering(Command.WITHDRAW, (call) -> call.fail(false));
		ScriptedInstance.get(other).close();
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		Lease lease = this.instance.hold(ONCE);
		this.store.beforeSending(Command.RELEASE, () -> this.instance.advance(RETRY));
		assertThat(lease.release()).isTrue();
		assertThat(this.store.calls(Command.WITHDRAW)).extracting(Call::key).contains("other").doesNotContain("k");
	}

	@Test
	void newAcquisitionDoesNotWaitForTheReleasesAnswer() {
		Lease lease = this.instance.hold(PIPELINED);
		lease.release();
		CompletableFuture<Lease> next = this.instance.acquire(ONCE);
		this.store.take(Command.ACQUIRE).grant(11);
		assertThat(ScriptedInstance.get(next).fencingToken()).isEqualTo(11);
		this.store.take(Command.RELEASE).say(true);
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
	}

	@Test
	void exceptionOfTheBodyCarriesTheFailureOfTheRelease() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.store.answering(Command.RELEASE, (call) -> call.fail(false));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.lock.call(() -> {
			throw new IOException("body");
		}))
			.withMessage("body")
			.satisfies(
					(ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockStoreException.class).hasSize(1));
	}

	@Test
	void bodyIsNotRunWhenTheLockIsHeldByOther() {
		this.store.answering(Command.ACQUIRE, (call) -> call.refuse(Duration.ofHours(1)));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
			throw new AssertionError("run unlocked");
		})).withMessageContaining("'k'");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.call(() -> {
			throw new AssertionError("run unlocked");
		}));
	}

	@Test
	void unlockWhoseReleaseFailsDoesNotFail() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.store.answering(Command.RELEASE, (call) -> call.fail(false));
		this.lock.lock();
		this.lock.unlock();
		assertThat(this.lock.holdCount()).isZero();
		this.store.take(Command.WITHDRAW);
	}

	/**
	 * A withdrawal does not answer the release that it overtakes on another connection.
	 */
	@Test
	void lateAnswerToAnOlderAskDoesNotLoseTheRelease() {
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, Duration.ofMillis(100));
		this.instance.advance(Duration.ofMillis(200));
		Call late = this.store.calls(Command.ENQUEUE).get(1);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(Duration.ofSeconds(1));
		this.store.calls(Command.ENQUEUE).get(2).grant(1);
		AtomicBoolean free = new AtomicBoolean();
		this.store.answering(Command.WITHDRAW, (call) -> call.say(!free.getAndSet(true)));
		CompletableFuture<Boolean> released = ScriptedInstance.get(waiting).releaseAsync().toCompletableFuture();
		late.grant(1);
		this.store.take(Command.RELEASE).say(!free.getAndSet(true));
		assertThat(ScriptedInstance.get(released)).as("held until it was released").isTrue();
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(late.owner());
		this.instance.awaitIdle();
	}

}
