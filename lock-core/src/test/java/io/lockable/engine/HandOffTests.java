package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for local hand-offs from one holder to the next.
 */
class HandOffTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void successorEntersWhileTheServerHasNotAnsweredYet() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		first.releaseAsync();
		Lease lease = ScriptedInstance.get(second);
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.fencingToken()).isEqualTo(2);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(transfer.owner()).isEqualTo(first.owner());
		assertThat(transfer.other()).isEqualTo(lease.owner());
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.ACQUIRE, Command.TRANSFER);
	}

	@Test
	void handOffsDuringATransferAreToldByOneMore() {
		List<Lease> leases = passThrough(4);
		assertThat(this.store.calls(Command.TRANSFER)).hasSize(1);
		this.store.take(Command.TRANSFER).grant(11);
		Call second = this.store.take(Command.TRANSFER);
		assertThat(second.owner()).isEqualTo(leases.get(1).owner());
		assertThat(second.other()).isEqualTo(leases.get(3).owner());
		second.grant(21);
		assertThat(this.store.calls(Command.TRANSFER)).hasSize(2);
		assertThat(leases.get(3).isHeld()).isTrue();
	}

	@Test
	void fencingTokensOfHandOffsGrowAlsoPastTheReservedOnes() {
		this.store.answering(Command.TRANSFER,
				(call) -> call.grant(10 * this.store.calls(Command.TRANSFER).size() + 1));
		List<Lease> leases = passThrough(40);
		assertThat(leases).extracting(Lease::fencingToken).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void refusedTransferLosesTheLeasesOfTheReleaserAndOfItsSuccessor() {
		Lease second = passThrough(2).get(1);
		this.store.take(Command.TRANSFER).refuse(HOUR);
		assertThat(second.isHeld()).isFalse();
		this.instance.awaitLosses(LockLost.Reason.NOT_OWNED, LockLost.Reason.NOT_OWNED);
		assertThat(this.instance.losses).extracting(LockLost::fencingToken).containsExactly(2L, 1L);
		assertThat(second.release()).isFalse();
	}

	@Test
	void failedTransferIsTriedAgain() {
		Lease second = passThrough(2).get(1);
		Call first = this.store.take(Command.TRANSFER);
		first.fail(false);
		this.instance.advance(Duration.ofMillis(50));
		Call again = this.store.take(Command.TRANSFER);
		assertThat(again.owner()).isEqualTo(first.owner());
		assertThat(again.other()).isEqualTo(first.other());
		again.grant(11);
		assertThat(second.isHeld()).isTrue();
		assertThat(second.remaining()).isGreaterThan(Duration.ofSeconds(8));
	}

	@Test
	void transferThatFailsUntilTheDeadlineLosesTheSuccessorsLease() {
		this.store.answering(Command.TRANSFER, (call) -> call.fail(false));
		Lease second = passThrough(2).get(1);
		for (int i = 0; i < 88; i++) {
			this.instance.advance(Duration.ofMillis(100));
		}
		assertThat(second.isHeld()).isTrue();
		this.instance.advance(Duration.ofMillis(200));
		assertThat(second.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		assertThat(this.store.calls(Command.TRANSFER)).hasSizeGreaterThan(1);
	}

	@Test
	void leaseThatIsNearlyOverIsConfirmedBeforeTheSuccessorEnters() {
		Lease first = this.instance.hold(WAITING.withRenewal(Renewal.OFF));
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		this.instance.advance(Duration.ofSeconds(5));
		CompletableFuture<Boolean> released = OwnThread.supply(first::release);
		Call transfer = this.store.take(Command.TRANSFER);
		assertThat(second).isNotDone();
		assertThat(released).isNotDone();
		transfer.grant(11);
		assertThat(ScriptedInstance.get(second).fencingToken()).as("a token that is left").isEqualTo(2);
		assertThat(ScriptedInstance.get(released)).isTrue();
	}

	@Test
	void lossOfALeaseThatALateTransferHasShortenedIsToldAtItsDeadline() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		CompletableFuture<Lease> third = this.instance
			.acquire(WAITING.withLease(Duration.ofSeconds(1)).withRenewal(Renewal.OFF));
		first.releaseAsync();
		ScriptedInstance.get(second).releaseAsync();
		this.store.take(Command.TRANSFER).grant(11);
		Lease last = ScriptedInstance.get(third);
		assertThat(this.store.take(Command.TRANSFER).other()).isEqualTo(last.owner());
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(last.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
	}

	@Test
	void successorOfALateReleaseWaitsOnWhileTheServerHangs() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> second = this.instance.acquire(WAITING);
		this.instance.clock.advance(Duration.ofSeconds(6));
		CompletableFuture<Boolean> release = first.releaseAsync().toCompletableFuture();
		Call transfer = this.store.take(Command.TRANSFER);
		for (int i = 0; i < 20; i++) {
			this.instance.advance(Duration.ofSeconds(1));
		}
		assertThat(ScriptedInstance.failure(release)).isInstanceOf(LockStoreException.class);
		assertThat(second).as("it has half a minute left").isNotDone();
		// After its return, the server answers the commands in the order of their
		// sending.
		this.store.calls(Command.TRANSFER).forEach((call) -> call.refuse(Duration.ZERO));
		this.store.calls(Command.WITHDRAW).forEach((call) -> call.say(false));
		assertThat(this.store.calls(Command.WITHDRAW)).extracting(Call::owner).doesNotContain(transfer.other());
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(31));
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		this.instance.advance(Duration.ofSeconds(1));
		Lease lease = ScriptedInstance.get(second);
		assertThat(lease.owner()).isEqualTo(transfer.other());
		assertThat(lease.isHeld()).isTrue();
	}

	private List<Lease> passThrough(int holders) {
		List<Lease> leases = new ArrayList<>();
		leases.add(this.instance.hold(WAITING));
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 1; i < holders; i++) {
			waiting.add(this.instance.acquire(WAITING));
		}
		for (CompletableFuture<Lease> next : waiting) {
			leases.get(leases.size() - 1).releaseAsync();
			leases.add(ScriptedInstance.get(next));
		}
		return leases;
	}

}
