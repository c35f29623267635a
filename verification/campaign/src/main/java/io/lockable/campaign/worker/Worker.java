package io.lockable.campaign.worker;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.history.Share;
import io.lockable.harness.peer.Peer.Held;
import io.lockable.harness.process.ChildJvm;
import io.lockable.harness.process.ParentJvm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class of a worker. It reads commands from its standard input, one per line,
 * and answers each round with a {@link Report}. It ends with its input, so it never
 * outlives the campaign.
 */
public final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	/**
	 * The name of the warm-up round, whose locks a worker uses before and after all other
	 * rounds.
	 */
	public static final String WARM_UP_ROUND = "warmup";

	private static final int WARM_UP = 24;

	private static final int CHUNK = 32 * 1024;

	private static final int MOST_CHUNKS = 16 * 1024;

	private static final Duration LONGEST_CLEANUP = Duration.ofSeconds(3);

	private final WorkOrder order;

	private final Contestant contestant;

	/**
	 * Fills the heap.
	 */
	private final List<byte[]> ballast = new ArrayList<>(MOST_CHUNKS);

	private @Nullable Shift shift;

	private Worker(WorkOrder order) {
		this.order = order;
		this.contestant = Contestants.open(order.contestant(), order.address());
	}

	/**
	 * Runs the worker.
	 * @param arguments a {@link WorkOrder}
	 */
	public static void main(String[] arguments) {
		ParentJvm parent = new ParentJvm();
		try {
			Worker worker = new Worker(ChildJvm.JSON.readValue(arguments[0], WorkOrder.class));
			worker.warmUp();
			parent.answer("ready");
			worker.obey(parent);
		}
		catch (Exception ex) {
			logger.error("Worker {} has failed", arguments[0], ex);
		}
		finally {
			Runtime.getRuntime().halt(0);
		}
	}

	/**
	 * Connects and loads classes, so that the first fault strikes a working worker. On a
	 * busy machine, the first answer may arrive after the end of the lease.
	 */
	private void warmUp() throws InterruptedException {
		List<LockKind> kinds = this.order.kinds();
		for (int i = 0; i < WARM_UP; i++) {
			try {
				Held held = this.contestant.acquire(kinds.get(i % kinds.size()).key(WARM_UP_ROUND), Share.EXCLUSIVE,
						Duration.ofSeconds(5));
				if (held != null) {
					held.release();
				}
			}
			catch (RuntimeException ex) {
				logger.debug("The library is not warm yet", ex);
			}
		}
	}

	private void obey(ParentJvm parent) throws IOException, InterruptedException {
		for (String line = parent.command(); line != null; line = parent.command()) {
			String[] words = line.split(" ", -1);
			switch (words[0]) {
				case "round" -> {
					this.shift = new RoundOfWorker(this.order, this.contestant, words[1], Long.parseLong(words[2]),
							Path.of(line.split(" ", 4)[3]));
				}
				case "soak" -> {
					this.shift = new SoakOfWorker(this.contestant, this.order.kinds(), Integer.parseInt(words[1]),
							Long.parseLong(words[2]), Integer.parseInt(words[3]), Integer.parseInt(words[4]));
				}
				case "sample" -> parent.answer(sample());
				case "interrupt" -> current().interrupt();
				case "cancel" -> this.contestant.cancelPending();
				case "fill" -> fill();
				case "free" -> this.ballast.clear();
				case "hold" -> current().holdOn();
				case "close" -> this.contestant.close();
				case "leave" -> {
					// Each lock is released, so the retained ones are idle when the
					// library closes
					warmUp();
					this.contestant.close();
					parent.answer(sample());
				}
				case "stop" -> {
					current().stop();
					parent.answer(report());
				}
				default -> throw new IllegalArgumentException("'line' must be a command, was " + line);
			}
		}
	}

	private Shift current() {
		return Objects.requireNonNull(this.shift, "There is no round");
	}

	private void fill() {
		try {
			while (this.ballast.size() < MOST_CHUNKS) {
				this.ballast.add(new byte[CHUNK]);
			}
		}
		catch (OutOfMemoryError ex) {
			// full, as intended
		}
	}

	/**
	 * Returns the report at the end of a round, when the library is idle.
	 */
	private Report report() {
		long deadline = System.nanoTime() + LONGEST_CLEANUP.toNanos();
		while (this.contestant.entries() > 0 && System.nanoTime() < deadline) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
		return sample();
	}

	private Report sample() {
		// Leaves only reachable objects
		System.gc();
		long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
		long descriptors = (ManagementFactory
			.getOperatingSystemMXBean() instanceof com.sun.management.UnixOperatingSystemMXBean unix)
					? unix.getOpenFileDescriptorCount() : 0;
		return new Report(ManagementFactory.getThreadMXBean().getThreadCount(), this.contestant.entries(), heap,
				descriptors, (this.shift != null) ? this.shift.operations() : 0);
	}

}
