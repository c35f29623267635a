package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the lookup of a lock and its forced release.
 */
class ForcedReleaseTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.instance.close();
	}

	/**
	 * Starts a forced release, up to its release commands.
	 */
	private CompletableFuture<ForcedRelease> force(String... owners) {
		CompletableFuture<ForcedRelease> forced = OwnThread.supply(() -> this.instance.engine.forceRelease("k"));
		this.store.take(Command.LOOK).say(lock(owners));
		return forced;
	}

	private static StoredLock lock(String... owners) {
		return new StoredLock(holders(owners), owners.length > 1, 0);
	}

	private static List<StoredLock.Holder> holders(String... owners) {
		return Stream.of(owners).map((owner) -> new StoredLock.Holder(owner, HOUR)).toList();
	}

	@Test
	void blankKeyIsRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.instance.engine.look(" "));
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.instance.engine.forceRelease(""));
	}

	@Test
	void storeThatCannotTellSaysSo() {
		LockEngine engine = LockEngine.builder(new PlainStore(new ScriptedStore(), false)).build();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> engine.look("k"))
			.withMessageContaining("PlainStore")
			.withMessageContaining("InspectableLockStore");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> engine.forceRelease("k"));
	}

	@Test
	void holderHereIsToldAtOnceAndTheNextWaiterHereAsks() {
		Lease held = this.instance.hold(WAITING);
		CompletableFuture<Lease> next = this.instance.acquire(WAITING);
		CompletableFuture<ForcedRelease> forced = force(held.owner());
		Call release = this.store.take(Command.RELEASE);
		assertThat(release.owner()).isEqualTo(held.owner());
		assertThat(held.isHeld()).as("before anything is known").isTrue();
		release.say(true);
		assertThat(ScriptedInstance.get(forced))
			.isEqualTo(new ForcedRelease("k", holders(held.owner()), List.of(), List.of()));
		assertThat(held.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.FORCED);
		Call asked = this.store.take(Command.ACQUIRE);
		assertThat(asked.owner()).isNotEqualTo(held.owner());
		asked.grant(11);
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
		assertThat(held.release()).isFalse();
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
	}

	@Test
	void lockThatMovedOnBetweenTheLookAndTheReleaseIsNotHit() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> next = this.instance.acquire(WAITING);
		CompletableFuture<ForcedRelease> forced = force(first.owner());
		Call release = this.store.take(Command.RELEASE);
		CompletableFuture<Boolean> handedOn = first.releaseAsync().toCompletableFuture();
		this.store.take(Command.TRANSFER).grant(11);
		assertThat(ScriptedInstance.get(handedOn)).isTrue();
		Lease second = ScriptedInstance.get(next);
		release.say(false);
		assertThat(ScriptedInstance.get(forced))
			.isEqualTo(new ForcedRelease("k", List.of(), holders(first.owner()), List.of()));
		assertThat(second.isHeld()).isTrue();
		assertThat(this.instance.losses).isEmpty();
		CompletableFuture<Boolean> released = OwnThread.supply(second::release);
		Call last = this.store.take(Command.RELEASE);
		assertThat(last.owner()).isEqualTo(second.owner());
		last.say(true);
		assertThat(ScriptedInstance.get(released)).isTrue();
	}

	@Test
	void answerThatComesTooLateForTheCallerIsStillToldToTheHolder() {
		Lease held = this.instance.hold(WAITING);
		CompletableFuture<Throwable> failure = OwnThread.supply(() -> {
			try {
				return new AssertionError(this.instance.engine.forceRelease("k").toString());
			}
			catch (LockStoreException ex) {
				return ex;
			}
		});
		this.store.take(Command.LOOK).say(lock(held.owner()));
		Call release = this.store.take(Command.RELEASE);
		this.instance.clock.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.get(failure)).isInstanceOf(LockStoreException.class);
		assertThat(held.isHeld()).isTrue();
		release.say(true);
		assertThat(held.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.FORCED);
	}

	@Test
	void allWhoShareAreReleasedAndThoseToldWhoAreHere() {
		DistributedSemaphore semaphore = this.instance.engine.getSemaphore("k", 3, WAITING);
		CompletableFuture<Lease> first = semaphore.acquireAsync();
		this.store.take(Command.ACQUIRE_SHARED).grant(1);
		CompletableFuture<Lease> second = semaphore.acquireAsync();
		this.store.take(Command.ACQUIRE_SHARED).grant(11);
		Lease released = ScriptedInstance.get(first);
		Lease left = ScriptedInstance.get(second);
		CompletableFuture<ForcedRelease> forced = force(released.owner(), left.owner(), "other");
		this.store.take(Command.RELEASE).say(true);
		this.store.take(Command.RELEASE).say(false);
		this.store.take(Command.RELEASE).say(true);
		assertThat(ScriptedInstance.get(forced))
			.isEqualTo(new ForcedRelease("k", holders(released.owner(), "other"), holders(left.owner()), List.of()));
		assertThat(released.isHeld()).isFalse();
		assertThat(left.isHeld()).isTrue();
		this.instance.awaitLoss(LockLost.Reason.FORCED);
	}

	@Test
	void holderOfWhomNothingIsKnownDoesNotHideThoseWhoAreReleased() {
		CompletableFuture<ForcedRelease> forced = force("first", "second", "third", "fourth");
		this.store.take(Command.RELEASE).say(true);
		this.store.take(Command.RELEASE).fail(false);
		this.store.take(Command.RELEASE).say(false);
		this.store.take(Command.RELEASE).say(true);
		assertThat(ScriptedInstance.get(forced))
			.isEqualTo(new ForcedRelease("k", holders("first", "fourth"), holders("third"), holders("second")));
	}

	@Test
	void releaseThatFailsForAllIsAFailure() {
		CompletableFuture<ForcedRelease> forced = force("first", "second");
		this.store.take(Command.RELEASE).fail(false);
		this.store.take(Command.RELEASE).fail(false);
		assertThat(ScriptedInstance.failure(forced)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("The server is away");
	}

	@Test
	void holderThatReleasesInTheMeantimeFindsNoOtherReason() {
		Lease held = this.instance.hold(WAITING);
		this.instance.acquire(WAITING);
		CompletableFuture<Boolean> heldBefore = new CompletableFuture<>();
		CompletableFuture<ForcedRelease> forced = force(held.owner());
		Call release = this.store.take(Command.RELEASE);
		// Before the next request is sent, the loss is known, but not notified yet.
		this.store.beforeSending(Command.ACQUIRE, () -> heldBefore.complete(held.isHeld()));
		release.say(true);
		ScriptedInstance.get(forced);
		assertThat(ScriptedInstance.get(heldBefore)).isFalse();
		this.instance.awaitLoss(LockLost.Reason.FORCED);
	}

	@Test
	void successorOfAnUnansweredTransferIsToldAtOnce() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Lease> next = this.instance.acquire(WAITING);
		CompletableFuture<Boolean> released = first.releaseAsync().toCompletableFuture();
		Lease second = ScriptedInstance.get(next);
		Call transfer = this.store.take(Command.TRANSFER);
		CompletableFuture<ForcedRelease> forced = force(second.owner());
		this.store.take(Command.RELEASE).say(true);
		assertThat(ScriptedInstance.get(forced).released()).isEqualTo(holders(second.owner()));
		assertThat(second.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.FORCED);
		assertThat(ScriptedInstance.get(released)).as("the server had executed the transfer").isTrue();
		transfer.grant(11);
		assertThat(second.isHeld()).isFalse();
		this.store.answerAll();
		this.instance.awaitIdle();
		assertThat(this.instance.losses).hasSize(1);
	}

	@Test
	void lockThatIsOnlyKeptIsGivenBackWithoutALoss() {
		Lease lease = this.instance.hold(WAITING.withMinHold(Duration.ofSeconds(8)));
		lease.releaseAsync();
		this.store.take(Command.KEEP).say(true);
		CompletableFuture<ForcedRelease> forced = force(lease.owner() + LockStore.KEPT);
		this.store.take(Command.RELEASE).say(true);
		assertThat(ScriptedInstance.get(forced).released()).hasSize(1);
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

}
