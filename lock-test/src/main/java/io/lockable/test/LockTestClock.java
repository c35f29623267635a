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
 * A clock that stands still until the test moves it, for an engine and its store alike.
 *
 * <pre class="code">
 * LockTestClock clock = new LockTestClock();
 * LockEngine locks = LockEngine.builder(new InMemoryLockStore(clock)).clock(clock).build();
 * </pre>
 *
 * <p>
 * {@link #advance} does what becomes due on the way (renewals, ends of waits, ends of
 * leases, second tries), each at its own time and in its order, on the calling thread,
 * and returns when it is done and the {@link io.lockable.LockListener listeners} and
 * futures are told. Nothing else lets a lease end. So a test that is interrupted or slow
 * goes on as one that is not.
 *
 * <p>
 * A thread that waits for a lock waits until the clock is moved to the end of its wait;
 * or for as long in real time, after which the clock is moved there: no thread waits for
 * longer than at work. With {@link #skipWaits()} it does not wait at all.
 *
 * <p>
 * The answers of a store are awaited in real time, and so is a shutdown: a thread that
 * gets no answer for as long as a command may take, and once more for as long while
 * nobody moves the clock, moves it there and is told. A store whose leases end in real
 * time, such as one on Redis, does not go together with this clock.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockTestClock implements LockClock {

	private static final long LONGEST_SKIP = TimeUnit.DAYS.toNanos(366);

	private static final int IDLE_SECONDS = 10;

	// Guards what follows, but is not held while tasks run.
	private final ReentrantLock mutex = new ReentrantLock();

	private final PriorityQueue<Task> tasks = new PriorityQueue<>();

	// Whoever moves the clock or runs tasks; taken before the mutex.
	private final ReentrantLock running = new ReentrantLock();

	private final ExecutorService atOnce = executor();

	private long scheduled;

	private volatile long now = TimeUnit.HOURS.toNanos(1);

	private volatile boolean skipping;

	// Of what was done without anybody moving the clock, until somebody does.
	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	@Override
	public long getAsLong() {
		return this.now;
	}

	/**
	 * Lets time pass, and does what becomes due.
	 * @param time how long; zero does what is due now
	 * @throws IllegalArgumentException if {@code time} is negative
	 * @throws IllegalStateException if what became due is not done within ten seconds,
	 * because a listener blocks; or if that was so when something was due without the
	 * clock being moved
	 */
	public void advance(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("'time' must not be negative, was " + time);
		}
		Throwable earlier = this.failure.getAndSet(null);
		if (earlier != null) {
			throw new IllegalStateException("What was due at once has failed: " + earlier.getMessage(), earlier);
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
	 * From now on, a thread that waits for a lock which another owner holds does not
	 * wait: the clock moves on to the end of its wait, or to the moment at which it gets
	 * the lock. A wait without an end is waited as before. For tests with one thread.
	 */
	public void skipWaits() {
		this.skipping = true;
	}

	/**
	 * Ends what {@link #skipWaits()} has begun.
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
			// Whoever asks looks which of them is done.
		}
	}

	/**
	 * Moves the clock, one thread after the other.
	 * @param target where to
	 * @param enough whether to stop before that, asked before each task
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
	 * Goes from one task to the next, so that each finds its own time on the clock, also
	 * those that a task adds on the way.
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
	 * Moves to the next task, or to the end if there is none before. A task that is added
	 * is either found here or finds the clock moved.
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
	 * Something to do.
	 *
	 * @param action what
	 * @param time when
	 * @param number in which order of those at the same time
	 */
	private record Task(Runnable action, long time, long number) implements Comparable<Task> {

		@Override
		public int compareTo(Task other) {
			long difference = this.time - other.time;
			return Long.signum((difference != 0) ? difference : this.number - other.number);
		}

	}

}
