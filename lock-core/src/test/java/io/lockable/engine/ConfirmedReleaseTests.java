package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for releases followed by a local hand-off: each waits for the answer to a command
 * that was sent after it.
 */
class ConfirmedReleaseTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private static final LockOptions PIPELINED = WAITING.withRelease(ReleaseMode.PIPELINED);

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private final List<CompletableFuture<Boolean>> released = new ArrayList<>();

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void releaseOfALostLockWithALocalWaiterSaysSo() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		CompletableFuture<Boolean> leaving = OwnThread.supply(first::release);
		assertThat(ScriptedInstance.get(second).isHeld()).as("the successor does not wait").isTrue();
		assertThat(leaving).isNotDone();
		assertThat(first.isHeld()).isFalse();
		this.store.take(Command.TRANSFER).refuse(HOUR);
		assertThat(ScriptedInstance.get(leaving)).isFalse();
		assertThat(first.lost().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(5))
			.extracting(LockLost::reason)
			.isEqualTo(LockLost.Reason.NOT_OWNED);
		assertThat(ScriptedInstance.get(second).isHeld()).isFalse();
		this.instance.awaitLosses(LockLost.Reason.NOT_OWNED, LockLost.Reason.NOT_OWNED);
		assertThat(this.instance.losses).extracting(LockLost::fencingToken).containsExactlyInAnyOrder(1L, 2L);
	}

	@Test
	void severalReleasersAreConfirmedByTheNextTransfer() {
		passThrough(WAITING, WAITING, WAITING, WAITING, WAITING);
		this.store.take(Command.TRANSFER).grant(11);
		assertThat(ScriptedInstance.get(this.released.get(0))).isTrue();
		assertThat(this.released.subList(1, 4)).noneMatch(CompletableFuture::isDone);
		this.store.take(Command.TRANSFER).grant(21);
		assertThat(this.released).allSatisfy((each) -> assertThat(ScriptedInstance.get(each)).isTrue());
		assertThat(this.store.calls(Command.TRANSFER)).hasSize(2);
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void lastReleaseConfirmsAllThatLeftDuringTheTransfer() {
		Lease third = passThrough(WAITING, WAITING, WAITING).get(2);
		this.released.add(third.releaseAsync().toCompletableFuture());
		Call release = this.store.take(Command.RELEASE);
		this.store.take(Command.TRANSFER).grant(11);
		assertThat(ScriptedInstance.get(this.released.get(0))).as("before the transfer").isTrue();
		assertThat(this.released.subList(1, 3)).noneMatch(CompletableFuture::isDone);
		release.say(true);
		assertThat(this.released).allSatisfy((each) -> assertThat(ScriptedInstance.get(each)).isTrue());
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.instance.awaitIdle();
	}

	@Test
	void lastReleaseOfALostLockLosesAllThatLeftDuringTheTransfer() {
		Lease third = passThrough(WAITING, WAITING, WAITING).get(2);
		this.released.add(third.releaseAsync().toCompletableFuture());
		this.store.take(Command.TRANSFER).grant(11);
		this.store.take(Command.RELEASE).say(false);
		this.store.take(Command.RELEASE).say(false);
		assertThat(this.released).extracting(ScriptedInstance::get)
			.as("the transfer confirms the release before it")
			.containsExactly(true, false, false);
		this.instance.awaitLosses(LockLost.Reason.NOT_OWNED, LockLost.Reason.NOT_OWNED);
	}

	@Test
	void successorWhoseShortLeaseHasExpiredLosesTheLockAlone() {
		Lease second = passThrough(WAITING, WAITING.withLease(Duration.ofSeconds(1))).get(1);
		this.released.add(second.releaseAsync().toCompletableFuture());
		this.store.take(Command.RELEASE).say(false);
		this.store.take(Command.TRANSFER).grant(11);
		this.store.take(Command.RELEASE).say(false);
		assertThat(this.released).extracting(ScriptedInstance::get).containsExactly(true, false);
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
		assertThat(this.instance.losses).extracting(LockLost::fencingToken).containsExactly(2L);
	}

	@Test
	void transferThatIsRefusedAfterTheLeaseOfItsSuccessorProvesNoLossOfTheReleaser() {
		Lease second = passThrough(WAITING, WAITING.withLease(Duration.ofSeconds(1))).get(1);
		this.released.add(second.releaseAsync().toCompletableFuture());
		this.store.take(Command.RELEASE).say(false);
		this.instance.clock.advance(Duration.ofSeconds(1));
		this.store.take(Command.TRANSFER).refuse(HOUR);
		this.store.take(Command.RELEASE).say(false);
		this.store.take(Command.RELEASE).say(false);
		assertThat(ScriptedInstance.failure(this.released.get(0))).isInstanceOf(LockStoreException.class);
		assertThat(ScriptedInstance.get(this.released.get(1))).isFalse();
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
	}

	/**
	 * A client sends the release again, and the store infers from the valid lease that
	 * the first copy was executed.
	 */
	@Test
	void ownerTokenBeforeAFailedTransferIsWithdrawnAfterAnInferredRelease() {
		List<Lease> leases = passThrough(WAITING, WAITING);
		this.released.add(leases.get(1).releaseAsync().toCompletableFuture());
		this.store.take(Command.TRANSFER).fail(false);
		this.store.take(Command.RELEASE).say(true);
		assertThat(List.of(this.store.take(Command.WITHDRAW), this.store.take(Command.WITHDRAW)))
			.extracting(Call::owner)
			.containsExactlyInAnyOrder(leases.get(0).owner(), leases.get(1).owner());
		assertThat(this.released).allSatisfy((each) -> assertThat(ScriptedInstance.get(each)).isTrue());
		this.store.calls(Command.WITHDRAW).forEach((call) -> call.say(true));
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void lockThatIsKeptBehindAFailedTransferIsKeptForTheOwnerTokenBeforeToo() {
		LockOptions kept = WAITING.withMinHold(Duration.ofSeconds(8)).withRenewal(Renewal.OFF);
		List<Lease> leases = passThrough(WAITING, kept);
		this.released.add(leases.get(1).releaseAsync().toCompletableFuture());
		this.store.take(Command.TRANSFER).fail(false);
		this.store.take(Command.KEEP).say(true);
		assertThat(List.of(this.store.take(Command.KEEP), this.store.take(Command.KEEP))).extracting(Call::owner)
			.containsExactlyInAnyOrder(leases.get(0).owner(), leases.get(1).owner());
	}

	@Test
	void lastReleaseWaitsForATransferThatHasFailed() {
		Lease third = passThrough(WAITING, WAITING, WAITING).get(2);
		this.store.take(Command.TRANSFER).fail(false);
		this.released.add(third.releaseAsync().toCompletableFuture());
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(Duration.ofMillis(50));
		this.store.take(Command.TRANSFER).grant(11);
		this.store.take(Command.RELEASE).say(true);
		assertThat(this.released).allSatisfy((each) -> assertThat(ScriptedInstance.get(each)).isTrue());
	}

	@Test
	void lastReleaseBehindATransferThatFailsFreesTheOwnerTokenBefore() {
		List<Lease> leases = passThrough(WAITING, WAITING);
		this.released.add(leases.get(1).releaseAsync().toCompletableFuture());
		this.store.take(Command.RELEASE).say(false);
		assertThat(this.store.calls(Command.RELEASE)).as("until the transfer has ended").hasSize(1);
		this.store.take(Command.TRANSFER).fail(false);
		Call again = this.store.take(Command.RELEASE);
		assertThat(again.owner()).isEqualTo(leases.get(1).owner());
		again.say(false);
		Call before = this.store.take(Command.RELEASE);
		assertThat(before.owner()).isEqualTo(leases.get(0).owner());
		before.say(true);
		assertThat(this.released).allSatisfy((each) -> assertThat(ScriptedInstance.get(each)).isTrue());
		this.instance.awaitIdle();
	}

	@Test
	void transferThatEndsAfterTheReleaseBehindItIsGivenUp() {
		List<Lease> leases = passThrough(WAITING, WAITING);
		this.released.add(leases.get(1).releaseAsync().toCompletableFuture());
		this.store.take(Command.RELEASE).say(true);
		assertThat(this.released).allSatisfy((each) -> assertThat(ScriptedInstance.get(each)).isTrue());
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
		this.store.take(Command.TRANSFER).grant(11);
		assertThat(List.of(this.store.take(Command.WITHDRAW), this.store.take(Command.WITHDRAW)))
			.extracting(Call::owner)
			.containsExactlyInAnyOrder(leases.get(0).owner(), leases.get(1).owner());
	}

	@Test
	void lateAnswerToATransferThatWasSentAgainConfirmsOnlyTheReleaseBeforeIt() {
		passThrough(WAITING, WAITING, WAITING);
		Call late = this.store.take(Command.TRANSFER);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		Call again = this.store.take(Command.TRANSFER);
		late.grant(11);
		assertThat(ScriptedInstance.get(this.released.get(0))).isTrue();
		assertThat(this.released.get(1)).isNotDone();
		again.refuse(HOUR);
		assertThat(ScriptedInstance.get(this.released.get(1))).isFalse();
	}

	@Test
	void transferThatIsRefusedAfterTheNewLeaseProvesNoLossOfTheReleaser() {
		Lease first = this.instance.hold(WAITING.withRenewal(Renewal.OFF));
		CompletableFuture<Lease> second = this.instance.acquire(WAITING.withLease(Duration.ofSeconds(1)));
		// Less than half of the lease of the next holder is left.
		this.instance.clock.advance(Duration.ofMillis(8500));
		CompletableFuture<Boolean> leaving = first.releaseAsync().toCompletableFuture();
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(second).isNotDone();
		this.instance.clock.advance(Duration.ofSeconds(1));
		transfer.refuse(HOUR);
		assertThat(ScriptedInstance.failure(leaving)).isInstanceOf(LockStoreException.class);
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void releaseThatNoTransferConfirmsInTimeThrows() {
		Lease first = this.instance.hold(WAITING);
		this.instance.acquire(WAITING);
		CompletableFuture<Boolean> leaving = OwnThread.supply(first::release);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(ScriptedInstance.failure(leaving)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("The store did not answer for lock 'k'");
		transfer.refuse(HOUR);
		// The event reports it nevertheless.
		this.instance.awaitLosses(LockLost.Reason.NOT_OWNED, LockLost.Reason.NOT_OWNED);
	}

	@Test
	void shutdownFailsReleasersThatNoAnswerHasConfirmed() {
		passThrough(WAITING, WAITING, WAITING);
		this.store.answering(Command.WITHDRAW, (call) -> call.say(true));
		this.instance.engine.close();
		assertThat(this.released)
			.allSatisfy((each) -> assertThat(ScriptedInstance.failure(each)).isInstanceOf(LockStoreException.class));
		assertThat(this.instance.shells().isIdle()).isTrue();
	}

	@Test
	void pipelinedReleaseDoesNotWaitForTheTransfer() {
		Lease first = this.instance.hold(PIPELINED);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		assertThat(first.release()).isTrue();
		assertThat(this.store.calls(Command.TRANSFER)).hasSize(1);
		assertThat(ScriptedInstance.get(second).isHeld()).isTrue();
	}

	/**
	 * Lets each holder except the last one release while the first transfer is in flight.
	 */
	private List<Lease> passThrough(LockOptions first, LockOptions... next) {
		List<Lease> leases = new ArrayList<>();
		leases.add(this.instance.hold(first));
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (LockOptions options : next) {
			waiting.add(this.instance.acquire(options));
		}
		for (CompletableFuture<Lease> successor : waiting) {
			this.released.add(leases.get(leases.size() - 1).releaseAsync().toCompletableFuture());
			leases.add(ScriptedInstance.get(successor));
		}
		return leases;
	}

}
