package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.shell.PendingAcquisition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the shutdown of an engine.
 */
class ShutdownTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void waitersFailAndLeaveTheServersQueue() {
		this.store.answering(Command.WITHDRAW, (call) -> call.say(false));
		CompletableFuture<Lease> first = this.instance.queue(ScriptedInstance.WAITING, HOUR);
		CompletableFuture<Lease> second = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.engine.close();
		assertThat(ScriptedInstance.failure(first)).isExactlyInstanceOf(LockException.class)
			.hasMessageContaining("'k'")
			.hasMessageContaining("shut down");
		assertThat(ScriptedInstance.failure(second)).isExactlyInstanceOf(LockException.class);
		assertThat(this.store.calls(Command.WITHDRAW)).hasSize(1);
		assertThat(this.instance.shells().isIdle()).isTrue();
		assertThat(this.instance.shells().parts().timer().size()).isEqualTo(3);
	}

	@Test
	void parkedThreadIsWoken() {
		this.store.answering(Command.WITHDRAW, (call) -> call.say(false));
		DistributedLock lock = this.instance.engine.get("k");
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				lock.lock();
			}
			catch (LockException ex) {
				thrown.complete(ex);
			}
		});
		thread.start();
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		this.store.take(Command.ENQUEUE).refuse(HOUR);
		this.instance.engine.close();
		assertThat(ScriptedInstance.get(thrown)).isExactlyInstanceOf(LockException.class);
	}

	@Test
	void heldLocksAreGivenBackAndToldAsLost() {
		this.store.answering(Command.WITHDRAW, (call) -> call.say(true));
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		this.instance.engine.close();
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(lease.owner());
		assertThat(lease.isHeld()).isFalse();
		this.instance.awaitLoss(LockLost.Reason.SHUTDOWN);
		assertThat(this.instance.shells().isIdle()).isTrue();
		assertThat(this.instance.shells().parts().timer().size()).isEqualTo(3);
	}

	@Test
	void holdersGetTimeToRelease() {
		ScriptedStore own = new ScriptedStore();
		own.answering(Command.ACQUIRE, (call) -> call.grant(1));
		own.answering(Command.RELEASE, (call) -> call.say(true));
		LockEngine engine = LockEngine.builder(own).shutdownTimeout(Duration.ofSeconds(10)).build();
		Lease lease = engine.get("k").tryAcquire().orElseThrow();
		CompletableFuture<Void> closed = OwnThread.run(engine::close);
		Awaitility.await()
			.untilAsserted(() -> assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> engine.get("other").tryAcquire()));
		assertThat(closed).isNotDone();
		assertThat(lease.release()).isTrue();
		ScriptedInstance.get(closed);
		assertThat(lease.lost().toCompletableFuture()).isNotDone();
		assertThat(own.calls(Command.WITHDRAW)).isEmpty();
	}

	@Test
	void newcomerThatOvertookTheShutdownIsRefusedToo() {
		this.store.answering(Command.ACQUIRE, (call) -> call.refuse(HOUR));
		// Stops the new request before it is in a queue.
		this.instance.clock.onRead(() -> {
			boolean making = StackWalker.getInstance()
				.walk((frames) -> frames
					.anyMatch((frame) -> frame.getClassName().equals(PendingAcquisition.class.getName())
							&& frame.getMethodName().equals("<init>")));
			if (making) {
				this.instance.gate.pass();
			}
		});
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		Thread newcomer = new Thread(() -> {
			try {
				this.instance.engine.get("k", ScriptedInstance.WAITING).acquire();
			}
			catch (InterruptedException | LockException ex) {
				thrown.complete(ex);
			}
		});
		newcomer.start();
		this.instance.gate.awaitReached();
		this.instance.engine.close();
		this.instance.gate.open();
		try {
			assertThat(ScriptedInstance.get(thrown)).isExactlyInstanceOf(LockException.class);
		}
		finally {
			newcomer.interrupt();
		}
		assertThat(this.store.calls(Command.ACQUIRE)).as("commands after the store was closed").isEmpty();
	}

	/**
	 * An engine that closes at such a moment would close the store before the release is
	 * sent.
	 */
	@Test
	void isNotIdleBeforeTheReleaseOfItsLastLockIsSent() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		AtomicBoolean idle = this.instance.idleBefore(Command.RELEASE);
		lease.releaseAsync();
		assertThat(idle).isFalse();
	}

	@Test
	void isNotIdleBeforeALostLockIsGivenBack() {
		this.instance.hold(ScriptedInstance.ONCE.withRenewal(Renewal.OFF));
		AtomicBoolean idle = this.instance.idleBefore(Command.WITHDRAW);
		this.instance.advance(Duration.ofSeconds(9));
		assertThat(idle).isFalse();
	}

	@Test
	void isNotIdleBeforeItsLastWaiterIsWithdrawn() {
		CompletableFuture<Lease> waiting = this.instance.queue(ScriptedInstance.WAITING, HOUR);
		AtomicBoolean idle = this.instance.idleBefore(Command.WITHDRAW);
		waiting.cancel(false);
		assertThat(idle).isFalse();
	}

	@Test
	void closeWithAStoreThatDoesNotAnswerIsBounded() {
		this.instance.hold(ScriptedInstance.ONCE);
		this.instance.engine.close();
		assertThat(this.store.calls(Command.WITHDRAW)).isNotEmpty();
		assertThat(this.store.calls(Command.CLOSE)).hasSize(1);
	}

}
