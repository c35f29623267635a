package io.lockable.engine.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.lockable.Internal;
import io.lockable.LockClock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that a test moves. What is due counts as done only when the engine's other
 * threads have done their part of it: so after a move of the clock, the callers and the
 * listeners are notified.
 */
@Internal
public final class SettlingClock implements LockClock {

	private final LockClock clock;

	private final Workers workers;

	public SettlingClock(LockClock clock, Workers workers) {
		this.clock = clock;
		this.workers = workers;
		workers.count();
	}

	@Override
	public long getAsLong() {
		return this.clock.getAsLong();
	}

	@Override
	public Runnable schedule(Runnable task, long time) {
		return this.clock.schedule(() -> {
			task.run();
			this.workers.settle();
		}, time);
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until)
			throws InterruptedException, ExecutionException, TimeoutException {
		Runnable goOn = this.workers.waitForClock();
		CompletionStage<T> decided = future;
		// On the thread that decides it, so that who moves the clock waits for this one
		// again.
		decided.whenComplete((result, failure) -> goOn.run());
		try {
			return this.clock.await(future, until);
		}
		finally {
			goOn.run();
		}
	}

}
