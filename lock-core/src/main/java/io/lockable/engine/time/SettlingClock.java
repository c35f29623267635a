package io.lockable.engine.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.lockable.Internal;
import io.lockable.LockClock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that a test moves. A due task counts as done only after the engine's other
 * threads have completed their part. After a move of the clock, callers and listeners
 * have therefore been notified.
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
		// Runs on the completing thread, so that a move of the clock waits for this
		// thread again.
		decided.whenComplete((result, failure) -> goOn.run());
		try {
			return this.clock.await(future, until);
		}
		finally {
			goOn.run();
		}
	}

}
