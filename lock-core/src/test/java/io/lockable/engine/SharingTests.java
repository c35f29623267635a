package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for shares of a lock, in interleavings that are rare on a real store.
 */
class SharingTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions WAITING = ScriptedInstance.WAITING;

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private final DistributedReadWriteLock lock = this.instance.engine.getReadWriteLock("k", WAITING);

	private final ExecutorService thread = Executors.newSingleThreadExecutor();

	@AfterEach
	void close() throws InterruptedException {
		this.instance.close();
		this.thread.shutdownNow();
		assertThat(this.thread.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
	}

	/**
	 * Runs a task on the single thread that holds locks in this test.
	 */
	private <T> CompletableFuture<T> onThread(Callable<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.thread.execute(() -> {
			try {
				result.complete(task.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

	private CompletableFuture<Boolean> unlock(DistributedLock held) {
		return onThread(() -> {
			held.unlock();
			return true;
		});
	}

	/**
	 * Lets the thread hold the write lock and, without a command, the read lock.
	 */
	private void writeAndRead() {
		CompletableFuture<Boolean> entered = onThread(() -> {
			this.lock.writeLock().lock();
			this.lock.readLock().lock();
			return true;
		});
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(entered)).isTrue();
	}

	private boolean reads() {
		return ScriptedInstance.get(onThread(this.lock.readLock()::isHeldByCurrentThread));
	}

	private CompletableFuture<Lease> queuedReader() {
		CompletableFuture<Lease> reader = this.lock.readLock().acquireAsync();
		this.store.take(Command.ACQUIRE_SHARED).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		return reader;
	}

	@Test
	void everyReaderAsksTheServerItself() {
		CompletableFuture<Lease> first = this.lock.readLock().acquireAsync();
		Call asked = this.store.take(Command.ACQUIRE_SHARED);
		assertThat(asked.other()).isEqualTo(Integer.toString(Integer.MAX_VALUE));
		asked.grant(1);
		CompletableFuture<Lease> second = this.lock.readLock().acquireAsync();
		this.store.take(Command.ACQUIRE_SHARED).grant(11);
		assertThat(ScriptedInstance.get(first).fencingToken()).isEqualTo(1);
		assertThat(ScriptedInstance.get(second).fencingToken()).isEqualTo(11);
		assertThat(ScriptedInstance.get(second).owner()).isNotEqualTo(ScriptedInstance.get(first).owner());
	}

	@Test
	void grantForAReaderThatGaveUpIsGivenBack() {
		CompletableFuture<Lease> reader = queuedReader();
		Call queued = this.store.take(Command.ENQUEUE_SHARED);
		queued.refuse(HOUR);
		assertThat(reader.cancel(false)).isTrue();
		Call withdrawal = this.store.take(Command.WITHDRAW);
		assertThat(withdrawal.owner()).isEqualTo(queued.owner());
		this.store.grant(queued, 7);
		withdrawal.say(false);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(queued.owner());
	}

	@Test
	void shareWhoseAnswerIsLostIsGivenBack() {
		CompletableFuture<Lease> permit = this.instance.engine.getSemaphore("k", 2, ScriptedInstance.ONCE)
			.acquireAsync();
		Call asked = this.store.take(Command.ACQUIRE_SHARED);
		assertThat(asked.other()).isEqualTo("2");
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.failure(permit)).isInstanceOf(LockStoreException.class);
		Call withdrawal = this.store.take(Command.WITHDRAW);
		assertThat(withdrawal.owner()).isEqualTo(asked.owner());
		asked.grant(1);
		withdrawal.say(false);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(asked.owner());
	}

	@Test
	void downgradeExchangesTheLockForAShareInOneCommand() {
		writeAndRead();
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		Call downgrade = this.store.take(Command.DOWNGRADE);
		assertThat(downgrade.owner()).isEqualTo(this.store.calls(Command.ACQUIRE).get(0).owner());
		assertThat(unlocked).isNotDone();
		downgrade.grant(11);
		assertThat(ScriptedInstance.get(unlocked)).isTrue();
		assertThat(reads()).isTrue();
		unlocked = unlock(this.lock.readLock());
		Call release = this.store.take(Command.RELEASE);
		assertThat(release.owner()).isEqualTo(downgrade.other());
		release.say(true);
		assertThat(ScriptedInstance.get(unlocked)).isTrue();
		this.instance.awaitIdle();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void readLockThatEndsBeforeTheWriteLockCostsNoCommand() {
		writeAndRead();
		ScriptedInstance.get(unlock(this.lock.readLock()));
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		this.store.take(Command.RELEASE).say(true);
		ScriptedInstance.get(unlocked);
		assertThat(this.store.calls()).extracting(Call::command).containsExactly(Command.ACQUIRE, Command.RELEASE);
	}

	/**
	 * Until the transfer is answered, the server may not know the owner token of the
	 * downgrade.
	 */
	@Test
	void downgradeWaitsForTheAnswerToTheTransferOnItsWay() {
		Lease first = this.instance.hold(WAITING);
		CompletableFuture<Boolean> entered = onThread(() -> {
			this.lock.writeLock().lock();
			this.lock.readLock().lock();
			return true;
		});
		CompletableFuture<Boolean> released = new CompletableFuture<>();
		while (this.store.calls(Command.TRANSFER).isEmpty() && !entered.isDone()) {
			// The thread must be in the queue before it is granted the lock.
			if (this.instance.shells().size() == 1 && first.isHeld() && isWaiting()) {
				first.releaseAsync().thenAccept(released::complete);
			}
		}
		assertThat(ScriptedInstance.get(entered)).isTrue();
		Call transfer = this.store.take(Command.TRANSFER);
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		CompletableFuture<Lease> next = this.instance.acquire(WAITING);
		assertThat(this.store.calls(Command.DOWNGRADE)).isEmpty();
		assertThat(unlocked).isNotDone();
		assertThat(released).isNotDone();
		transfer.grant(11);
		assertThat(ScriptedInstance.get(released)).isTrue();
		Call downgrade = this.store.take(Command.DOWNGRADE);
		assertThat(downgrade.owner()).isEqualTo(transfer.other());
		downgrade.grant(21);
		assertThat(ScriptedInstance.get(unlocked)).isTrue();
		assertThat(reads()).isTrue();
		assertThat(next).as("a writer beside the reader").isNotDone();
		assertThat(this.store.take(Command.ACQUIRE).key()).isEqualTo("k");
	}

	private boolean isWaiting() {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.anyMatch((entry) -> entry.getKey().getState() == Thread.State.TIMED_WAITING
					&& List.of(entry.getValue()).toString().contains("Acquirer.acquire"));
	}

	@Test
	void refusedDowngradeIsALoss() {
		writeAndRead();
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		this.store.take(Command.DOWNGRADE).refuse(HOUR);
		assertThat(ScriptedInstance.failure(unlocked)).isInstanceOf(LockLostException.class);
		this.instance.awaitLoss(LockLost.Reason.NOT_OWNED);
		assertThat(reads()).isFalse();
		assertThat(ScriptedInstance.failure(unlock(this.lock.readLock()))).isInstanceOf(LockLostException.class);
		this.instance.awaitIdle();
	}

	@Test
	void downgradeWithoutAnAnswerIsALossAndBothOwnersAreGivenUp() {
		writeAndRead();
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		Call downgrade = this.store.take(Command.DOWNGRADE);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(ScriptedInstance.get(unlocked)).as("a failing store does not make unlock fail").isTrue();
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
		assertThat(reads()).isFalse();
		Call first = this.store.take(Command.WITHDRAW);
		first.say(false);
		this.instance.retry();
		assertThat(List.of(first.owner(), this.store.take(Command.WITHDRAW).owner()))
			.containsExactlyInAnyOrder(downgrade.owner(), downgrade.other());
		assertThat(ScriptedInstance.failure(unlock(this.lock.readLock()))).isInstanceOf(LockLostException.class);
	}

	@Test
	void engineIsNotIdleWhileALockIsExchangedForAShare() {
		writeAndRead();
		AtomicBoolean idle = this.instance.idleBefore(Command.RELEASE);
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		this.store.take(Command.DOWNGRADE).grant(11);
		ScriptedInstance.get(unlocked);
		ScriptedInstance.get(unlock(this.lock.readLock()));
		assertThat(idle).isFalse();
	}

	@Test
	void engineIsNotIdleBeforeBothOwnersOfAFailedExchangeAreGivenUp() {
		writeAndRead();
		String owner = this.store.calls(Command.ACQUIRE).get(0).owner();
		AtomicBoolean idle = new AtomicBoolean();
		Set<String> withdrawn = ConcurrentHashMap.newKeySet();
		this.store.answering(Command.WITHDRAW, (call) -> {
			withdrawn.add(call.owner());
			call.say(false);
		});
		this.instance.clock
			.onRead(() -> idle.compareAndSet(false, !withdrawn.contains(owner) && this.instance.shells().isIdle()));
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		this.store.take(Command.DOWNGRADE).fail(false);
		ScriptedInstance.get(unlocked);
		assertThat(withdrawn).contains(owner);
		assertThat(idle).isFalse();
	}

	/**
	 * The shutdown timeout ends while the exchange is in flight.
	 */
	@Test
	void shareThatIsGrantedWhileTheEngineClosesIsGivenBack() {
		writeAndRead();
		CompletableFuture<Lease> other = this.instance.engine.get("other", WAITING).acquireAsync();
		this.store.take(Command.ACQUIRE).grant(1);
		ScriptedInstance.get(other);
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		Call downgrade = this.store.take(Command.DOWNGRADE);
		Thread closing = new Thread(this.instance.engine::close);
		closing.start();
		Call givenBack = this.store.take(Command.WITHDRAW);
		Awaitility.await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
		downgrade.grant(11);
		ScriptedInstance.get(unlocked);
		givenBack.say(true);
		Call share = this.store.take(Command.WITHDRAW);
		assertThat(share.owner()).isEqualTo(downgrade.other());
		share.say(true);
		Awaitility.await().until(() -> !closing.isAlive());
		assertThat(this.instance.losses).extracting(LockLost::reason)
			.containsExactly(LockLost.Reason.SHUTDOWN, LockLost.Reason.SHUTDOWN);
	}

	@Test
	void exchangeThatIsNotAnsweredEndsWithTheEngine() {
		writeAndRead();
		CompletableFuture<Boolean> unlocked = unlock(this.lock.writeLock());
		this.store.take(Command.DOWNGRADE);
		this.instance.engine.close();
		assertThat(ScriptedInstance.get(unlocked)).isTrue();
		assertThat(reads()).isFalse();
	}

	@Test
	void storeThatCannotShareSaysSo() {
		LockEngine engine = LockEngine.builder(new PlainStore(new ScriptedStore(), false)).build();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> engine.getReadWriteLock("k", WAITING))
			.withMessageContaining("PlainStore");
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> engine.getSemaphore("k", 1, WAITING));
	}

}
