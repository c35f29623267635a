package io.lockable.engine.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import io.lockable.Internal;
import io.lockable.LockClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of an engine in production: the engine's timer runs due tasks, and threads
 * wait in real time.
 */
@Internal
public final class SystemClock implements LockClock {

	private static final Logger log = LoggerFactory.getLogger(SystemClock.class);

	private final LongSupplier nanoClock;

	private final ScheduledExecutorService timer;

	public SystemClock(LongSupplier nanoClock, ScheduledExecutorService timer) {
		this.nanoClock = nanoClock;
		this.timer = timer;
	}

	@Override
	public long getAsLong() {
		return this.nanoClock.getAsLong();
	}

	@Override
	public Runnable schedule(Runnable task, long time) {
		long delay = Math.max(0, time - getAsLong());
		try {
			Future<?> scheduled = this.timer.schedule(task, delay, TimeUnit.NANOSECONDS);
			return () -> scheduled.cancel(false);
		}
		catch (RejectedExecutionException ex) {
			log.debug("The task is not scheduled: the lock engine is shut down", ex);
			return () -> {
			};
		}
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until)
			throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(Math.max(0, until - getAsLong()), TimeUnit.NANOSECONDS);
	}

}
