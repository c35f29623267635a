package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Attempt;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for several keys by one command.
 */
class MultiKeyCommandTests {

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@BeforeEach
	void takeTogether() {
		this.store.takesTogether();
	}

	private CompletableFuture<Lease> acquire(LockOptions options) {
		return this.instance.engine.getAll(List.of("b", "a"), options).acquireAsync();
	}

	private static void grant(Attempt attempt, long token) {
		attempt.result().complete(new Granted(token, token + 9, false, 0));
	}

	private static void refuse(Attempt attempt) {
		attempt.result().complete(new Refused(Duration.ofSeconds(5)));
	}

	private static void leave(Attempt attempt) {
		attempt.result().complete(null);
	}

	private void assertLateGrantsAreReleased(List<Attempt> attempts) {
		grant(attempts.get(0), 1);
		grant(attempts.get(1), 1);
		this.store.take(Command.RELEASE).say(true);
		this.store.take(Command.RELEASE).say(true);
		this.instance.awaitIdle();
	}

	@Test
	void oneCommandAsksForAllKeys() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.WAITING);
		List<Attempt> attempts = this.store.takeAttempts();
		assertThat(attempts).extracting(Attempt::key).containsExactly("a", "b");
		assertThat(attempts).extracting(Attempt::lease).containsOnly(ScriptedInstance.WAITING.lease());
		assertThat(attempts).extracting(Attempt::owner).doesNotHaveDuplicates();
		grant(attempts.get(0), 1);
		assertThat(all).isNotDone();
		grant(attempts.get(1), 100);
		Lease lease = ScriptedInstance.get(all);
		assertThat(lease.fencingToken("a")).isEqualTo(1);
		assertThat(lease.fencingToken("b")).isEqualTo(100);
		assertThat(this.store.calls(Command.ACQUIRE)).isEmpty();
		lease.releaseAsync();
		assertThat(this.store.calls(Command.RELEASE)).extracting(Call::owner)
			.containsExactlyInAnyOrderElementsOf(attempts.stream().map(Attempt::owner).toList());
	}

	@Test
	void waiterOfWhomOneKeyIsRefusedGoesOnInOrder() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.WAITING);
		List<Attempt> attempts = this.store.takeAttempts();
		leave(attempts.get(0));
		refuse(attempts.get(1));
		Call first = this.store.take(Command.ACQUIRE);
		assertThat(first.key()).isEqualTo("a");
		first.grant(1);
		Call second = this.store.take(Command.ACQUIRE);
		assertThat(second.key()).isEqualTo("b");
		second.grant(1);
		assertThat(ScriptedInstance.get(all).isHeld()).isTrue();
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
	}

	@Test
	void singleTryThatIsRefusedAsksNobodyElse() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.ONCE);
		List<Attempt> attempts = this.store.takeAttempts();
		refuse(attempts.get(0));
		leave(attempts.get(1));
		assertThat(ScriptedInstance.failure(all)).isInstanceOf(LockNotAcquiredException.class)
			.hasMessageContaining("a,b");
		this.instance.awaitIdle();
		assertThat(this.store.calls()).isEmpty();
	}

	@Test
	void keyThatIsWantedHereIsWaitedForInOrder() {
		CompletableFuture<Lease> other = this.instance.engine.get("b", ScriptedInstance.WAITING).acquireAsync();
		Call asked = this.store.take(Command.ACQUIRE);
		CompletableFuture<Lease> all = acquire(ScriptedInstance.WAITING);
		assertThat(this.store.take(Command.ACQUIRE).key()).isEqualTo("a");
		assertThat(this.store.hasUntakenAttempts()).isFalse();
		asked.grant(1);
		assertThat(ScriptedInstance.get(other).isHeld()).isTrue();
		assertThat(all).isNotDone();
	}

	@Test
	void keyThatAnotherCallerIsQuickerToAskForEndsTheTryAndKeepsNobodyWaiting() {
		AtomicReference<CompletableFuture<Lease>> quicker = new AtomicReference<>();
		AtomicReference<DistributedLock> rival = new AtomicReference<>();
		try (ScriptedInstance raced = new ScriptedInstance(new ScriptedStore(),
				(builder) -> builder.listener((FollowingListener) (key, owner, options) -> {
					// Within the joint attempt, before it enters the second key.
					DistributedLock lock = rival.getAndSet(null);
					if (lock != null) {
						quicker.set(lock.acquireAsync());
					}
					return (event) -> {
					};
				}))) {
			raced.store.takesTogether();
			rival.set(raced.engine.get("b", ScriptedInstance.WAITING));
			raced.engine.getAll(List.of("a", "b"), ScriptedInstance.WAITING).acquireAsync();
			Call asked = raced.store.take(Command.ACQUIRE);
			assertThat(asked.key()).isEqualTo("b");
			assertThat(raced.store.hasUntakenAttempts()).isFalse();
			assertThat(raced.store.take(Command.ACQUIRE).key()).isEqualTo("a");
			asked.grant(1);
			assertThat(ScriptedInstance.get(quicker.get()).isHeld()).isTrue();
		}
	}

	@Test
	void singleTryOfWhichNothingWasAskedAsksForEachKey() {
		CompletableFuture<Lease> quicker = new CompletableFuture<>();
		AtomicInteger reads = new AtomicInteger();
		// The first read is for the end of the wait, the second one precedes the first
		// waiter.
		this.instance.clock.onRead(() -> {
			if (reads.incrementAndGet() == 2) {
				this.instance.engine.get("b", ScriptedInstance.WAITING).acquireAsync().thenAccept(quicker::complete);
			}
		});
		CompletableFuture<Lease> all = acquire(ScriptedInstance.ONCE);
		Call asked = this.store.take(Command.ACQUIRE);
		assertThat(asked.key()).isEqualTo("b");
		assertThat(this.store.hasUntakenAttempts()).isFalse();
		asked.grant(1);
		ScriptedInstance.get(quicker).releaseAsync();
		this.store.take(Command.RELEASE).say(true);
		this.store.take(Command.ACQUIRE).grant(1);
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(all).isHeld()).isTrue();
	}

	@Test
	void interruptEndsTheTryAndGivesBackWhatIsGrantedLater() throws Exception {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				this.instance.engine.getAll(List.of("a", "b"), ScriptedInstance.WAITING).acquire();
				interrupted.complete(false);
			}
			catch (InterruptedException ex) {
				interrupted.complete(true);
			}
		});
		thread.start();
		List<Attempt> attempts = this.store.takeAttempts();
		thread.interrupt();
		assertThat(ScriptedInstance.get(interrupted)).isTrue();
		assertLateGrantsAreReleased(attempts);
	}

	@Test
	void whoJoinedOneKeyAsksForItWhenAnotherKeyIsRefused() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.ONCE);
		List<Attempt> attempts = this.store.takeAttempts();
		CompletableFuture<Lease> patient = this.instance.engine.get("a", ScriptedInstance.WAITING).acquireAsync();
		CompletableFuture<Lease> once = this.instance.engine.get("a", ScriptedInstance.ONCE).acquireAsync();
		leave(attempts.get(0));
		refuse(attempts.get(1));
		assertThat(ScriptedInstance.failure(all)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(patient).isNotDone();
		assertThat(once).as("nobody has said that the key is held").isNotDone();
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(patient).isHeld()).isTrue();
		assertThat(ScriptedInstance.failure(once)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void failureOfTheStoreReachesTheCallerAndNothingIsLeft() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.WAITING);
		List<Attempt> attempts = this.store.takeAttempts();
		attempts.forEach((attempt) -> attempt.result().completeExceptionally(new LockStoreException("away", null)));
		assertThat(ScriptedInstance.failure(all)).isInstanceOf(LockStoreException.class).hasMessageContaining("away");
		assertThat(List.of(this.store.takeGivenBack().owner(), this.store.takeGivenBack().owner()))
			.containsExactlyInAnyOrder(attempts.get(0).owner(), attempts.get(1).owner());
	}

	@Test
	void failureThatMayPassIsTriedAgainWithinTheWait() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.WAITING);
		this.store.takeAttempts()
			.forEach(
					(attempt) -> attempt.result().completeExceptionally(new LockStoreException("LOADING", null, true)));
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.take(Command.ACQUIRE).key()).isEqualTo("a");
		assertThat(all).isNotDone();
	}

	@Test
	void cancellationGivesBackWhatIsGrantedLater() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.WAITING);
		List<Attempt> attempts = this.store.takeAttempts();
		all.cancel(false);
		assertLateGrantsAreReleased(attempts);
	}

	@Test
	void answerThatComesTooLateIsGivenBack() {
		CompletableFuture<Lease> all = acquire(ScriptedInstance.ONCE);
		List<Attempt> attempts = this.store.takeAttempts();
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT.plusMillis(1));
		assertThat(ScriptedInstance.failure(all)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("did not answer");
		this.store.takeGivenBack().say(false);
		this.instance.retry();
		this.store.takeGivenBack().say(false);
		this.instance.awaitIdle();
		grant(attempts.get(0), 1);
		grant(attempts.get(1), 1);
		assertThat(List.of(this.store.takeGivenBack().owner(), this.store.takeGivenBack().owner()))
			.containsExactlyInAnyOrder(attempts.get(0).owner(), attempts.get(1).owner());
	}

	@Test
	void fairLocksAreAskedForOneAfterTheOther() {
		acquire(ScriptedInstance.WAITING.withFair(true));
		assertThat(this.store.take(Command.ACQUIRE).key()).isEqualTo("a");
		assertThat(this.store.hasUntakenAttempts()).isFalse();
	}

}
