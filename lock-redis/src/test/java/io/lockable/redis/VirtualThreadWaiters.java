package io.lockable.redis;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingStream;

/**
 * A child process with virtual threads, very many of which wait for locks. It starts them
 * by reflection, because it is compiled for a Java version without them.
 */
public final class VirtualThreadWaiters {

	private static final int THREADS = 10_000;

	private static final int KEYS = 100;

	private static final Duration LONG_WAIT = Duration.ofSeconds(60);

	private final Instance holder;

	private final Instance instance;

	private final AtomicInteger done = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private VirtualThreadWaiters(Instance holder, Instance instance) {
		this.holder = holder;
		this.instance = instance;
	}

	/**
	 * Makes the threads wait, then acquire one after another, and reports five numbers
	 * and a text. These are: threads that did not wait, all threads that held the lock,
	 * failures, additional platform threads, pinned carriers, and what pinned the first
	 * of them.
	 * @param args host, port
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		int port = Integer.parseInt(args[1]);
		Instance holder = Instance.start(RedisClients.LETTUCE, args[0], port, (builder) -> builder);
		Instance instance = Instance.start(RedisClients.LETTUCE, args[0], port, (builder) -> builder);
		VirtualThreadWaiters waiters = new VirtualThreadWaiters(holder, instance);
		// Loads classes, which pins carriers, and opens connections.
		waiters.run(1, 200);
		Queue<RecordedEvent> pinned = new ConcurrentLinkedQueue<>();
		try (RecordingStream events = new RecordingStream()) {
			events.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(1)).withStackTrace();
			events.onEvent("jdk.VirtualThreadPinned", (event) -> {
				if (isOurs(event)) {
					pinned.add(event);
				}
			});
			events.startAsync();
			String report = waiters.run(KEYS, THREADS);
			// Events are delivered about once a second.
			events.awaitTermination(Duration.ofSeconds(3));
			ChildJvm.report(report + " " + pinned.size() + " " + describe(pinned.peek()));
		}
		Runtime.getRuntime().halt(0);
	}

	private String run(int keys, int threads) throws Exception {
		this.done.set(0);
		ThreadMXBean platformThreads = ManagementFactory.getThreadMXBean();
		int before = platformThreads.getThreadCount();
		List<Lease> leases = new ArrayList<>();
		for (int key = 0; key < keys; key++) {
			leases.add(this.holder.get("virtual-" + key).tryAcquire().orElseThrow());
		}
		CountDownLatch waiting = new CountDownLatch(threads);
		CountDownLatch passed = new CountDownLatch(threads);
		for (int i = 0; i < threads; i++) {
			DistributedLock lock = this.instance.get("virtual-" + (i % keys), Instance.waiting(LONG_WAIT));
			startVirtualThread(() -> {
				waiting.countDown();
				pass(lock);
				passed.countDown();
			});
		}
		waiting.await();
		passed.await(500, TimeUnit.MILLISECONDS);
		int early = this.done.get();
		int during = platformThreads.getThreadCount();
		leases.forEach(Lease::close);
		passed.await(40, TimeUnit.SECONDS);
		int more = Math.max(during, platformThreads.getThreadCount()) - before;
		return early + " " + this.done + " " + this.failed + " " + more;
	}

	private void pass(DistributedLock lock) {
		try {
			lock.run(this.done::incrementAndGet);
		}
		catch (RuntimeException ex) {
			this.failed.incrementAndGet();
		}
	}

	// Not counted: the first use of a class, which pins a carrier while the class is
	// loaded, or initialized by this thread or by another one. The first threads load
	// most
	// classes, but not all.
	private static boolean isOurs(RecordedEvent event) {
		if (event.getStackTrace() == null) {
			return true;
		}
		if (event.hasField("pinnedReason") && String.valueOf(event.getString("pinnedReason")).contains("initializ")) {
			return false;
		}
		List<RecordedFrame> frames = event.getStackTrace().getFrames();
		return frames.stream().anyMatch((frame) -> type(frame).startsWith("io.lockable."))
				&& frames.stream().noneMatch(VirtualThreadWaiters::loadsAClass);
	}

	private static String describe(RecordedEvent event) {
		return (event != null) ? event.toString().replaceAll("\\s+", " ") : "";
	}

	private static boolean loadsAClass(RecordedFrame frame) {
		return frame.getMethod().getName().equals("<clinit>")
				|| type(frame).matches("java\\.lang\\.(ClassLoader|invoke\\..*)|jdk\\.internal\\.loader\\..*");
	}

	private static String type(RecordedFrame frame) {
		return frame.getMethod().getType().getName();
	}

	private static void startVirtualThread(Runnable task) throws ReflectiveOperationException {
		Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
	}

}
