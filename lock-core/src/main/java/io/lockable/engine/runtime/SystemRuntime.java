package io.lockable.engine.runtime;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runtime of production: the system's monotonic clock, and daemon threads that start
 * on first use.
 *
 * @since 0.1.0
 */
public final class SystemRuntime implements EngineRuntime, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(SystemRuntime.class);

	private static final int STEP_THREADS = 8;

	private static final int CALLBACK_THREADS = 4;

	private static final int IDLE_SECONDS = 30;

	private static final int ID_BYTES = 8;

	private final LongSupplier clock;

	private final ScheduledThreadPoolExecutor timer;

	private final Map<Work, ThreadPoolExecutor> pools;

	private final ThreadPoolExecutor blocking;

	/**
	 * Creates a runtime on the system's clock.
	 */
	public SystemRuntime() {
		this(System::nanoTime);
	}

	/**
	 * Creates a runtime on another clock; its threads still wait in real time.
	 * @param clock supplies nanoseconds since an arbitrary origin
	 */
	public SystemRuntime(LongSupplier clock) {
		this(clock, SystemRuntime::threads);
	}

	SystemRuntime(LongSupplier clock, Function<String, ThreadFactory> threads) {
		this.clock = clock;
		this.timer = new ScheduledThreadPoolExecutor(1, threads.apply("lockable-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.pools = Map.of(Work.STEP, pool(STEP_THREADS, threads.apply("lockable-worker")), Work.RENEWAL,
				pool(1, threads.apply("lockable-renewal")), Work.CALLBACK,
				pool(CALLBACK_THREADS, threads.apply("lockable-callback")), Work.LISTENER,
				pool(1, threads.apply("lockable-listeners")));
		this.blocking = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
				new SynchronousQueue<>(), threads.apply("lockable-blocking"));
	}

	@Override
	public long now() {
		return this.clock.getAsLong();
	}

	@Override
	public long epochMillis() {
		return System.currentTimeMillis();
	}

	@Override
	public RandomGenerator random() {
		return ThreadLocalRandom.current();
	}

	@Override
	public String uniqueId() {
		byte[] id = new byte[ID_BYTES];
		new SecureRandom().nextBytes(id);
		return HexFormat.of().formatHex(id);
	}

	@Override
	public Runnable schedule(Runnable task, long time) {
		long delay = Math.max(0, time - now());
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
	public void execute(Work work, Runnable task) {
		try {
			pool(work).execute(task);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// After the shutdown, remaining tasks are short and delay no other thread.
			// Without memory for a thread, a late caller is better than a lost task.
			task.run();
		}
	}

	@Override
	public void executeBlocking(String thread, Runnable task) {
		this.blocking.execute(() -> {
			Thread current = Thread.currentThread();
			if (!current.getName().equals(thread)) {
				current.setName(thread);
			}
			task.run();
		});
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until, Runnable over)
			throws InterruptedException, ExecutionException, TimeoutException {
		try {
			return future.get(Math.max(0, until - now()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			over.run();
			throw ex;
		}
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

	/**
	 * Ends the threads after the tasks that they have; scheduled tasks are dropped. Waits
	 * up to a second for listeners, so that they receive recent losses while they are
	 * still in place. Later tasks run on the threads of their callers, and later blocking
	 * tasks are rejected.
	 */
	@Override
	public void close() {
		this.timer.shutdownNow();
		this.pools.values().forEach(ThreadPoolExecutor::shutdown);
		this.blocking.shutdown();
		try {
			if (!pool(Work.LISTENER).awaitTermination(1, TimeUnit.SECONDS)) {
				log.debug("Lock listeners are still busy; the remaining events follow while the application stops");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private ThreadPoolExecutor pool(Work work) {
		return Objects.requireNonNull(this.pools.get(work));
	}

	private static ThreadPoolExecutor pool(int size, ThreadFactory threads) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), threads);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	private static ThreadFactory threads(String name) {
		AtomicInteger number = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

}
