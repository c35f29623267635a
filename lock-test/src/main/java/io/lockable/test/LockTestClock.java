package io.lockable.test;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.SystemRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until the test moves it, for both an engine and its store.
 * <pre class="code">
 * LockTestClock clock = new LockTestClock();
 * LockEngine locks = LockEngine.builder(new InMemoryLockStore(clock)).runtime(clock).build();
 * </pre>
 *
 * <p>
 * {@link #advance} runs the due tasks on the calling thread: renewals, ends of waits and
 * leases, and retries. Each task runs at its own time and in order. The method returns
 * when they are done and the {@link io.lockable.LockListener listeners} and futures are
 * notified. Leases expire only by a move of the clock, so an interrupted or slow test
 * behaves as any other.
 *
 * <p>
 * A thread that waits for a lock waits until the clock reaches the end of its wait. After
 * the same time in real time, the thread moves the clock there: no thread waits longer
 * than in production. With {@link #skipWaits()}, the thread does not wait at all.
 *
 * <p>
 * Answers of a store and a shutdown are awaited in real time. A thread without an answer
 * for the command timeout waits once more for the same time while the clock stands still.
 * It then moves the clock to the timeout, and its command times out. A store with leases
 * in real time, such as one on Redis, does not work with this clock.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockTestClock implements EngineRuntime, LongSupplier {

	private static final long LONGEST_SKIP = TimeUnit.DAYS.toNanos(366);

	private static final long SETTLE_TIMEOUT = TimeUnit.SECONDS.toNanos(10);

	private static final long SETTLE_PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

	// Its monitor also guards the time, and is not held while tasks run.
	private final PriorityQueue<Task> tasks = new PriorityQueue<>();

	// Held by the thread that moves the clock or runs tasks; acquired before the monitor.
	private final ReentrantLock running = new ReentrantLock();

	// Its threads end while they are idle.
	private final SystemRuntime system = new SystemRuntime();

	// Unfinished tasks that do not wait for this clock, and the engine's own steps among
	// them.
	private final AtomicInteger unfinished = new AtomicInteger();

	private final AtomicInteger unfinishedSteps = new AtomicInteger();

	// The kind of the calling thread's task, if it is one of these threads.
	private final ThreadLocal<@Nullable Work> busyWith = new ThreadLocal<>();

	private long scheduled;

	private volatile long now = TimeUnit.HOURS.toNanos(1);

	private volatile boolean skipping;

	// The failure of tasks that ran without a move of the clock, until the next move.
	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	@Override
	public long epochMillis() {
		return this.now / 1_000_000;
	}

	@Override
	public long now() {
		return this.now;
	}

	/**
	 * Returns the current time.
	 * @return nanoseconds since an arbitrary origin
	 */
	@Override
	public long getAsLong() {
		return this.now;
	}

	@Override
	public RandomGenerator random() {
		return this.system.random();
	}

	@Override
	public String uniqueId() {
		return this.system.uniqueId();
	}

	/**
	 * Lets time pass, and runs the due tasks.
	 * @param time the time; zero runs the tasks that are due now
	 * @throws IllegalArgumentException if {@code time} is negative
	 * @throws IllegalStateException if a blocking listener delays due tasks by more than
	 * ten seconds, in this call or since the previous one
	 */
	public void advance(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("'time' must not be negative, was " + time);
		}
		Throwable earlier = this.failure.getAndSet(null);
		if (earlier != null) {
			throw new IllegalStateException("A task that was due immediately failed: " + earlier.getMessage(), earlier);
		}
		moveBy(time.toNanos());
	}

	private void moveBy(long nanos) {
		move(() -> this.now + nanos, () -> false);
	}

	/**
	 * Lets threads skip their waits for a lock that another owner holds. The clock moves
	 * to the end of such a wait, or to the time at which the thread acquires the lock. An
	 * unlimited wait is not skipped. For tests with one thread.
	 */
	public void skipWaits() {
		this.skipping = true;
	}

	/**
	 * Ends the effect of {@link #skipWaits()}.
	 */
	public void keepWaits() {
		this.skipping = false;
	}

	@Override
	public Runnable schedule(Runnable task, long time) {
		Task added;
		synchronized (this.tasks) {
			added = new Task(task, time, this.scheduled++);
			this.tasks.add(added);
			if (time - this.now <= 0) {
				this.system.schedule(this::runDue, this.system.now());
			}
		}
		return () -> {
			synchronized (this.tasks) {
				this.tasks.remove(added);
			}
		};
	}

	private void runDue() {
		try {
			moveBy(0);
		}
		catch (RuntimeException | Error ex) {
			this.failure.compareAndSet(null, ex);
		}
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until, Runnable over)
			throws InterruptedException, ExecutionException, TimeoutException {
		Runnable goOn = waitForClock();
		CompletionStage<T> decided = future;
		// Runs on the completing thread, so that a move of the clock waits for this
		// thread again.
		decided.whenComplete((result, failed) -> goOn.run());
		try {
			return awaitClock(future, until, over);
		}
		finally {
			goOn.run();
		}
	}

	// The end of the wait is a due task. After a move of the clock, no thread is then
	// found waiting only because it has not been woken yet.
	private <T extends @Nullable Object> T awaitClock(CompletableFuture<T> future, long until, Runnable over)
			throws InterruptedException, ExecutionException, TimeoutException {
		CompletableFuture<Boolean> ended = new CompletableFuture<>();
		Runnable forget = schedule(() -> {
			over.run();
			ended.complete(true);
		}, until);
		try {
			long left = Math.max(0, until - this.now);
			if (!this.skipping || left > LONGEST_SKIP) {
				awaitAny(left, future, ended);
			}
			if (!future.isDone() && !ended.isDone()) {
				move(() -> until, future::isDone);
			}
			if (future.isDone()) {
				return future.get();
			}
			throw new TimeoutException();
		}
		finally {
			forget.run();
		}
	}

	@Override
	public <T extends @Nullable Object> T awaitAnswer(CompletableFuture<T> answer, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return this.system.awaitAnswer(answer, nanos);
	}

	@Override
	public void pause(long nanos) {
		this.system.pause(nanos);
	}

	@Override
	public void execute(Work work, Runnable task) {
		count(work, 1);
		this.system.execute(work, () -> {
			Work outer = this.busyWith.get();
			this.busyWith.set(work);
			try {
				task.run();
			}
			finally {
				this.busyWith.set(outer);
				count(work, -1);
			}
		});
	}

	@Override
	public void executeBlocking(String thread, Runnable task) {
		this.system.executeBlocking(thread, task);
	}

	private void count(Work work, int change) {
		this.unfinished.addAndGet(change);
		if (isStep(work)) {
			this.unfinishedSteps.addAndGet(change);
		}
	}

	private static boolean isStep(@Nullable Work work) {
		return work == Work.STEP || work == Work.RENEWAL;
	}

	/**
	 * Waits until all tasks of the engines are finished. A call from a callback waits
	 * only for the engines' own steps, because other callbacks may wait for the caller. A
	 * call from a step returns immediately.
	 * @throws IllegalStateException after ten seconds of real time
	 */
	void settle() {
		Work own = this.busyWith.get();
		if (isStep(own)) {
			return;
		}
		AtomicInteger awaited = (own != null) ? this.unfinishedSteps : this.unfinished;
		long deadline = System.nanoTime() + SETTLE_TIMEOUT;
		while (awaited.get() > 0) {
			if (deadline - System.nanoTime() < 0) {
				throw new IllegalStateException("The due tasks did not finish within 10s:"
						+ " a LockListener, or a dependent of an engine's future, seems to block");
			}
			LockSupport.parkNanos(SETTLE_PAUSE);
		}
	}

	/**
	 * Marks the calling thread as waiting for the clock, so that a move of the clock does
	 * not wait for this thread.
	 * @return the action that ends the wait; to be called at least once
	 */
	private Runnable waitForClock() {
		Work own = this.busyWith.get();
		if (own == null || isStep(own)) {
			return () -> {
			};
		}
		this.unfinished.decrementAndGet();
		AtomicBoolean waiting = new AtomicBoolean(true);
		return () -> {
			if (waiting.compareAndSet(true, false)) {
				this.unfinished.incrementAndGet();
			}
		};
	}

	private static void awaitAny(long nanos, CompletableFuture<?>... futures) throws InterruptedException {
		try {
			CompletableFuture.anyOf(futures).get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// The caller checks which of them is done.
		}
	}

	/**
	 * Moves the clock, one thread after the other. It moves from task to task, so that
	 * each finds its own time on the clock, including tasks that a task adds.
	 * @param target the target time, evaluated when it is this thread's turn
	 * @param enough whether to stop earlier, evaluated before each task
	 */
	void move(LongSupplier target, BooleanSupplier enough) {
		this.running.lock();
		try {
			long end = target.getAsLong();
			Task next = enough.getAsBoolean() ? null : nextUntil(end);
			while (next != null) {
				next.action().run();
				settle();
				next = enough.getAsBoolean() ? null : nextUntil(end);
			}
		}
		finally {
			this.running.unlock();
		}
	}

	/**
	 * Moves to the next task, or to the target if there is none before it. A new task is
	 * either found here or finds the clock moved.
	 */
	private @Nullable Task nextUntil(long target) {
		synchronized (this.tasks) {
			Task next = this.tasks.peek();
			boolean due = next != null && next.time() - target <= 0;
			long time = (due && next != null) ? next.time() : target;
			this.now = (time - this.now > 0) ? time : this.now;
			return due ? this.tasks.poll() : null;
		}
	}

	/**
	 * A scheduled task.
	 *
	 * @param action the action
	 * @param time the time
	 * @param number the order among tasks of the same time
	 */
	private record Task(Runnable action, long time, long number) implements Comparable<Task> {

		@Override
		public int compareTo(Task other) {
			long difference = this.time - other.time;
			return Long.signum((difference != 0) ? difference : this.number - other.number);
		}

	}

}
