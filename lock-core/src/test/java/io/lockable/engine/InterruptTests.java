package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.shell.LocalLease;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for interrupted acquisitions.
 */
@SuppressWarnings("LockNotBeforeTry")
class InterruptTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private final DistributedLock lock = this.instance.engine.get("k", ScriptedInstance.WAITING);

	private final CompletableFuture<Object> outcome = new CompletableFuture<>();

	private final Thread acquirer = new Thread(() -> {
		try {
			this.outcome.complete(this.lock.acquire());
		}
		catch (InterruptedException | RuntimeException ex) {
			this.outcome.complete(ex);
		}
	}, "acquirer");

	@Test
	void interruptedWaitThrowsAndLeavesTheServersQueue() {
		this.acquirer.start();
		Call queued = answerQueued();
		this.acquirer.interrupt();
		assertThat(ScriptedInstance.get(this.outcome)).isInstanceOf(InterruptedException.class);
		Call withdrawal = this.store.take(Command.WITHDRAW);
		assertThat(withdrawal.owner()).isEqualTo(queued.owner());
		withdrawal.say(false);
		this.instance.awaitIdle();
	}

	@Test
	void grantOfAnInterruptedWaiterIsPassedOnToTheNext() {
		this.acquirer.start();
		Call queued = answerQueued();
		CompletableFuture<Lease> next = this.instance.acquire(ScriptedInstance.WAITING);
		this.acquirer.interrupt();
		assertThat(ScriptedInstance.get(this.outcome)).isInstanceOf(InterruptedException.class);
		this.store.grant(queued, 7);
		assertThat(ScriptedInstance.get(next).fencingToken()).isEqualTo(7);
		assertThat(this.store.calls(Command.WITHDRAW)).isEmpty();
	}

	@Test
	void answerAfterAnInterruptIsGivenBack() {
		this.acquirer.start();
		Call acquire = this.store.take(Command.ACQUIRE);
		this.acquirer.interrupt();
		assertThat(ScriptedInstance.get(this.outcome)).isInstanceOf(InterruptedException.class);
		acquire.grant(1);
		Call release = this.store.takeGivenBack();
		assertThat(release.owner()).isEqualTo(acquire.owner());
		release.say(true);
		this.instance.awaitIdle();
	}

	@Test
	void interruptInTheMiddleOfTheGrantGivesTheLockBack() {
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		this.acquirer.start();
		Call queued = answerQueued();
		// Not still busy with the answer, whose mutex would swallow the interrupt.
		Awaitility.await().until(() -> this.acquirer.getState() == Thread.State.TIMED_WAITING);
		// Stops the grant after the request is chosen and before it is notified: the read
		// of the clock for the lease is the last one before.
		stopAtTheLease("granter");
		Thread granter = new Thread(() -> this.store.grant(queued, 7), "granter");
		granter.start();
		this.instance.gate.awaitReached();
		this.acquirer.interrupt();
		// The thread has not only seen the interrupt, which a result could still
		// overtake, but is about to cancel.
		Awaitility.await()
			.until(() -> !this.acquirer.isInterrupted() && this.acquirer.getState() == Thread.State.WAITING);
		this.instance.gate.open();
		assertThat(ScriptedInstance.get(this.outcome)).isInstanceOf(InterruptedException.class);
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(queued.owner());
		this.instance.awaitIdle();
	}

	@Test
	void acquireOnAnInterruptedThreadSendsNothing() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.lock::acquire);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.lock::lockInterruptibly);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.store.calls()).isEmpty();
	}

	@Test
	void tryAcquireWithAWaitOnAnInterruptedThreadThatHoldsTheLockThrows() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.lock.lock();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.lock.tryAcquire(Duration.ofHours(1)));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void tryAcquireOnAnInterruptedThreadAcquiresAndKeepsTheFlag() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		Thread.currentThread().interrupt();
		assertThat(this.lock.tryAcquire()).isPresent();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void lockOnAnInterruptedThreadWaitsAndKeepsTheFlag() {
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			this.lock.lock();
			flag.complete(Thread.currentThread().isInterrupted());
		});
		thread.start();
		Call acquire = this.store.take(Command.ACQUIRE);
		thread.interrupt();
		Awaitility.await().until(() -> !thread.isInterrupted());
		acquire.grant(1);
		assertThat(ScriptedInstance.get(flag)).isTrue();
	}

	@Test
	void releaseOnAnInterruptedThreadWaitsAndKeepsTheFlag() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.store.answering(Command.RELEASE, (call) -> call.answer().completeAsync(() -> true, OwnThread::execute));
		Lease lease = this.lock.tryAcquire().orElseThrow();
		Thread.currentThread().interrupt();
		assertThat(lease.release()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void runOnAnInterruptedThreadThrowsAndKeepsTheFlag() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.lock.run(() -> {
			throw new AssertionError("run unlocked");
		})).withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.store.calls()).isEmpty();
	}

	private Call answerQueued() {
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		Call queued = this.store.take(Command.ENQUEUE);
		queued.refuse(HOUR);
		return queued;
	}

	private void stopAtTheLease(String thread) {
		this.instance.clock.onRead(() -> {
			boolean lease = StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().equals(LocalLease.class.getName())));
			if (lease && Thread.currentThread().getName().equals(thread)) {
				this.instance.gate.pass();
			}
		});
	}

}
