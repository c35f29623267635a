package io.lockable.test;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.lockable.LockClock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until the test moves it, for both an engine and its store.
 * <pre class="code">
 * LockTestClock clock = new LockTestClock();
 * LockEngine locks = LockEngine.builder(new InMemoryLockStore(clock)).clock(clock).build();
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
public final class LockTestClock implements LockClock {

	private static final long LONGEST_SKIP = TimeUnit.DAYS.toNanos(366);

	private static final int IDLE_SECONDS = 10;

	// Guards the following fields, but is not held while tasks run.
	private final ReentrantLock mutex = new ReentrantLock();

	private final PriorityQueue<Task> tasks = new PriorityQueue<>();

	// Held by the thread that moves the clock or runs tasks; acquired before the mutex.
	private final ReentrantLock running = new ReentrantLock();

	private final ExecutorService atOnce = executor();

	private long scheduled;

	private volatile long now = TimeUnit.HOURS.toNanos(1);

	private volatile boolean skipping;

	// The failure of tasks that ran without a move of the clock, until the next move.
	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	@Override
	public long getAsLong() {
		return this.now;
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
		this.running.lock();
		try {
			moveTo(this.now + nanos, () -> false);
		}
		finally {
			this.running.unlock();
		}
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
		boolean due;
		this.mutex.lock();
		try {
			added = new Task(task, time, this.scheduled++);
			this.tasks.add(added);
			due = time - this.now <= 0;
		}
		finally {
			this.mutex.unlock();
		}
		if (due) {
			this.atOnce.execute(this::runDue);
		}
		return () -> remove(added);
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
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until)
			throws InterruptedException, ExecutionException, TimeoutException {
		CompletableFuture<Boolean> over = new CompletableFuture<>();
		Runnable forget = schedule(() -> over.complete(true), until);
		try {
			long left = Math.max(0, until - this.now);
			if (this.skipping && left <= LONGEST_SKIP) {
				moveTogether(until, future::isDone);
			}
			else {
				awaitAny(left, future, over);
				if (!future.isDone() && !over.isDone()) {
					moveTogether(until, future::isDone);
				}
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

	private static void awaitAny(long nanos, CompletableFuture<?>... futures) throws InterruptedException {
		try {
			CompletableFuture.anyOf(futures).get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// The caller checks which of them is done.
		}
	}

	/**
	 * Moves the clock, one thread after the other.
	 * @param target the target time
	 * @param enough whether to stop earlier, evaluated before each task
	 */
	void moveTogether(long target, BooleanSupplier enough) {
		this.running.lock();
		try {
			moveTo(target, enough);
		}
		finally {
			this.running.unlock();
		}
	}

	/**
	 * Moves from task to task, so that each finds its own time on the clock, including
	 * tasks that a task adds.
	 */
	private void moveTo(long target, BooleanSupplier enough) {
		while (!enough.getAsBoolean()) {
			Task next = move(target);
			if (next == null) {
				return;
			}
			next.action().run();
		}
	}

	/**
	 * Moves to the next task, or to the target if there is none before it. A new task is
	 * either found here or finds the clock moved.
	 */
	private @Nullable Task move(long target) {
		this.mutex.lock();
		try {
			Task next = this.tasks.peek();
			boolean due = next != null && next.time() - target <= 0;
			this.now = later((due && next != null) ? next.time() : target);
			return due ? this.tasks.poll() : null;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private long later(long time) {
		return (time - this.now > 0) ? time : this.now;
	}

	private void remove(Task task) {
		this.mutex.lock();
		try {
			this.tasks.remove(task);
		}
		finally {
			this.mutex.unlock();
		}
	}

	private static ExecutorService executor() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (task) -> {
					Thread thread = new Thread(task, "lock-test-clock");
					thread.setDaemon(true);
					return thread;
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
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
