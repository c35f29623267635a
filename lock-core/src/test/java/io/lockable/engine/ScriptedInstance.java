package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.lockable.Lease;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LockObserver;
import io.lockable.store.Acquisition.Granted;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine with a store and a clock that the test controls.
 */
final class ScriptedInstance implements AutoCloseable {

	static final int HOLDERS_OF_A_TURN = 16;

	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * A lease of 9 s, renewed every 3 s, and a wait of a minute.
	 */
	static final LockOptions WAITING = LockOptions.defaults()
		.withLease(Duration.ofSeconds(9))
		.withWaitTime(Duration.ofMinutes(1));

	static final LockOptions ONCE = WAITING.withWaitTime(Duration.ZERO);

	private static final int SECONDS = 30;

	final ScriptedStore store;

	final TestClock clock = new TestClock();

	final List<LockLost> losses = new CopyOnWriteArrayList<>();

	final LockEngine engine;

	/**
	 * Stops a thread until the test opens it or closes the instance.
	 */
	final Gate gate = new Gate();

	ScriptedInstance(LockListener... others) {
		this(new ScriptedStore(), others);
	}

	ScriptedInstance(ScriptedStore store, LockListener... others) {
		this(store, (builder) -> List.of(others).forEach(builder::listener));
	}

	ScriptedInstance(ScriptedStore store, Consumer<LockEngine.Builder> customizer) {
		this.store = store;
		LockEngine.Builder builder = LockEngine.builder(this.store)
			.clock(this.clock)
			.commandTimeout(COMMAND_TIMEOUT)
			.shutdownTimeout(Duration.ZERO);
		customizer.accept(builder);
		this.engine = builder.listener((event) -> {
			if (event instanceof LockLost lost) {
				this.losses.add(lost);
			}
		}).build();
		// The questions of the watch are no part of a script.
		shells().observe(LockObserver.NONE);
	}

	KeyShells shells() {
		return this.engine.shells();
	}

	/**
	 * Starts to acquire, without answering for the store.
	 * @param options the options
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquire(LockOptions options) {
		return this.engine.get("k", options).acquireAsync();
	}

	/**
	 * Acquires from a store that grants the tokens 1 to 10.
	 * @param options the options
	 * @return the lease
	 */
	Lease hold(LockOptions options) {
		CompletableFuture<Lease> acquired = acquire(options);
		this.store.take(Command.ACQUIRE).grant(1);
		return get(acquired);
	}

	/**
	 * Starts to acquire from a store that refuses and queues.
	 * @param options the options
	 * @param remaining the holder's remaining lease
	 * @return the future lease
	 */
	CompletableFuture<Lease> queue(LockOptions options, Duration remaining) {
		CompletableFuture<Lease> waiting = acquire(options);
		this.store.take(Command.ACQUIRE).refuse(remaining);
		this.store.take(Command.SUBSCRIBE).say(true);
		this.store.take(Command.ENQUEUE).refuse(remaining);
		return waiting;
	}

	/**
	 * Acquires by a grant of another instance at the end of its turn.
	 * @param granted the grant
	 * @return the lease
	 */
	Lease hold(Granted granted) {
		CompletableFuture<Lease> waiting = queue(WAITING, Duration.ofHours(1));
		Call queued = this.store.calls(Command.ENQUEUE).get(0);
		this.store.grant(queued, granted);
		return get(waiting);
	}

	/**
	 * Lets the turn of this instance end.
	 */
	void endTurn() {
		this.clock.advance(Duration.ofMillis(20));
	}

	/**
	 * Lets time pass, and runs the due tasks.
	 * @param time the time
	 */
	void advance(Duration time) {
		this.clock.advance(time);
		this.shells().parts().timer().tick();
	}

	/**
	 * Lets time pass until commands are sent again that a silent store did not get.
	 */
	void retry() {
		advance(Duration.ofMillis(250));
	}

	/**
	 * Checks at each read of the clock whether the engine is idle, until it has sent a
	 * command. A closing engine would otherwise never send it.
	 * @param last the command; answered with {@code true} from now on
	 * @return whether it was idle too early
	 */
	AtomicBoolean idleBefore(Command last) {
		AtomicBoolean idle = new AtomicBoolean();
		AtomicBoolean sent = new AtomicBoolean();
		this.store.answering(last, (call) -> {
			sent.set(true);
			call.say(true);
		});
		this.clock.onRead(() -> {
			if (!sent.get() && this.shells().isIdle()) {
				idle.set(true);
			}
		});
		return idle;
	}

	void awaitIdle() {
		Awaitility.await()
			.atMost(SECONDS, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.shells().isIdle()).isTrue());
		// The renewals and the orphans.
		Awaitility.await()
			.atMost(SECONDS, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.shells().parts().timer().size()).isEqualTo(3));
	}

	void awaitLoss(LockLost.Reason reason) {
		awaitLosses(reason);
	}

	void awaitLosses(LockLost.Reason... reasons) {
		Awaitility.await()
			.atMost(SECONDS, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.losses).extracting(LockLost::reason).containsExactly(reasons));
	}

	static <T> T get(CompletableFuture<T> future) {
		try {
			return future.get(SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	static Throwable failure(CompletableFuture<?> future) {
		try {
			throw new AssertionError("Completed with " + future.get(SECONDS, TimeUnit.SECONDS));
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	@Override
	public void close() {
		this.gate.open();
		this.clock.onRead(() -> {
		});
		this.store.answerAll();
		this.engine.close();
	}

}
