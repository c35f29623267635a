package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockable.DistributedLock;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.runtime.StillRuntime;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for threads whose wait fails, for example on a test clock after a listener
 * blocked.
 */
@SuppressWarnings("LockNotBeforeTry")
class FailingWaitTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final ScriptedStore store = new ScriptedStore();

	private final Gate gate = new Gate();

	private final LockEngine engine = LockEngine.builder(this.store)
		.runtime(new FailingRuntime())
		.shutdownTimeout(Duration.ZERO)
		.build();

	private final DistributedLock lock = this.engine.get("k", ScriptedInstance.WAITING);

	private Runnable meanwhile = () -> {
	};

	@AfterEach
	void close() {
		this.gate.open();
		this.store.answerAll();
		this.engine.close();
	}

	private CompletableFuture<Throwable> start(Consumer<DistributedLock> acquisition) {
		return OwnThread.supply(() -> {
			try {
				acquisition.accept(this.lock);
				return new AssertionError("acquired");
			}
			catch (IllegalStateException ex) {
				return ex;
			}
		});
	}

	private static void acquire(DistributedLock lock) {
		try {
			lock.acquire();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	private Call answerQueued() {
		this.store.take(Command.ACQUIRE).refuse(HOUR);
		this.store.take(Command.SUBSCRIBE).say(true);
		Call queued = this.store.take(Command.ENQUEUE);
		queued.refuse(HOUR);
		return queued;
	}

	private void assertLeavesTheQueue(Consumer<DistributedLock> acquisition) {
		CompletableFuture<Throwable> failure = start(acquisition);
		Call queued = answerQueued();
		this.gate.open();
		assertThat(ScriptedInstance.get(failure)).hasMessage("listener");
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(queued.owner());
		assertThat(this.engine.waiting()).isEmpty();
	}

	private void assertGivesBack(Consumer<DistributedLock> acquisition) {
		CompletableFuture<Throwable> failure = start(acquisition);
		Call queued = answerQueued();
		this.meanwhile = () -> this.store.grant(queued, 7);
		this.gate.open();
		assertThat(ScriptedInstance.get(failure)).hasMessage("listener");
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(queued.owner());
		assertThat(this.engine.holdings()).isEmpty();
	}

	@Test
	void acquireWhoseWaitFailsLeavesTheQueue() {
		assertLeavesTheQueue(FailingWaitTests::acquire);
	}

	@Test
	void acquireWhoseWaitFailsGivesBackWhatItGotMeanwhile() {
		assertGivesBack(FailingWaitTests::acquire);
	}

	@Test
	void grantThatIsBeingDecidedIsGivenBack() {
		Gate deciding = new Gate();
		CompletableFuture<Throwable> failure = start(FailingWaitTests::acquire);
		Call queued = answerQueued();
		// Completes the outcome only after the wait has failed.
		Thread granter = new Thread(() -> this.store.grant(queued, 7), "granter");
		this.onLease = () -> {
			if (Thread.currentThread() == granter) {
				deciding.pass();
			}
		};
		this.meanwhile = () -> {
			granter.start();
			deciding.awaitReached();
			new Thread(deciding::open, "opener").start();
		};
		this.gate.open();
		assertThat(ScriptedInstance.get(failure)).hasMessage("listener");
		assertThat(this.store.take(Command.RELEASE).owner()).isEqualTo(queued.owner());
	}

	private Runnable onLease = () -> {
	};

	/**
	 * A runtime without time, with failing waits.
	 */
	private final class FailingRuntime extends StillRuntime {

		@Override
		public long now() {
			boolean lease = StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().equals(LocalLease.class.getName())));
			if (lease) {
				FailingWaitTests.this.onLease.run();
			}
			return 0;
		}

		@Override
		public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until, Runnable over) {
			FailingWaitTests.this.gate.pass();
			FailingWaitTests.this.meanwhile.run();
			throw new IllegalStateException("listener");
		}

	}

}
