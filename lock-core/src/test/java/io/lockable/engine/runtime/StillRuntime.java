package io.lockable.engine.runtime;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * A runtime without threads, whose time only a test moves: tasks run on the calling
 * thread, and scheduled tasks are collected.
 */
public class StillRuntime implements EngineRuntime {

	private final AtomicLong now = new AtomicLong();

	private final AtomicInteger ids = new AtomicInteger();

	private final List<Runnable> scheduled = new CopyOnWriteArrayList<>();

	@Override
	public long epochMillis() {
		return now() / 1_000_000;
	}

	@Override
	public long now() {
		return this.now.get();
	}

	/**
	 * Moves the time without running the scheduled tasks.
	 * @param nanos the time in nanoseconds
	 */
	public final void move(long nanos) {
		this.now.addAndGet(nanos);
	}

	public final List<Runnable> scheduled() {
		return List.copyOf(this.scheduled);
	}

	/**
	 * Runs the scheduled tasks.
	 */
	public final void runScheduled() {
		List<Runnable> due = scheduled();
		this.scheduled.removeAll(due);
		due.forEach(Runnable::run);
	}

	@Override
	public RandomGenerator random() {
		return RandomGenerator.of("L64X128MixRandom");
	}

	@Override
	public String uniqueId() {
		return Integer.toHexString(this.ids.incrementAndGet());
	}

	@Override
	public Runnable schedule(Runnable task, long time) {
		this.scheduled.add(task);
		return () -> this.scheduled.remove(task);
	}

	@Override
	public void execute(Work work, Runnable task) {
		task.run();
	}

	@Override
	public void executeBlocking(String thread, Runnable task) {
		task.run();
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until, Runnable over)
			throws InterruptedException, ExecutionException, TimeoutException {
		throw new UnsupportedOperationException("Nothing waits here");
	}

	@Override
	public <T extends @Nullable Object> T awaitAnswer(CompletableFuture<T> answer, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return answer.get(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void pause(long nanos) {
		LockSupport.parkNanos(nanos);
	}

}
