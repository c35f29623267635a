package io.lockable.campaign.worker;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.history.Share;
import io.lockable.harness.peer.Peer.Held;
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

	static final String READY = "ready";

	/**
	 * The name of the warm-up round, whose locks a worker uses before and after all other
	 * rounds.
	 */
	public static final String WARM_UP_ROUND = "warmup";

	private static final int WARM_UP = 24;

	private static final Duration LONGEST_CLEANUP = Duration.ofSeconds(3);

	private final WorkOrder order;

	private final Contestant contestant;

	private final Ballast ballast = new Ballast();

	private @Nullable RoundOfWorker round;

	private @Nullable SoakOfWorker soak;

	private Worker(WorkOrder order) {
		this.order = order;
		this.contestant = Contestants.open(order.contestant(), order.address());
	}

	/**
	 * Runs the worker.
	 * @param arguments those of a {@link WorkOrder}
	 */
	public static void main(String[] arguments) {
		PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		BufferedReader commands = new BufferedReader(
				new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
		try {
			Worker worker = new Worker(WorkOrder.parse(arguments));
			worker.warmUp();
			out.println(READY);
			worker.obey(commands, out);
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
		List<LockKind> kinds = this.contestant.kinds();
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

	private void obey(BufferedReader commands, PrintStream out) throws IOException, InterruptedException {
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			String[] words = line.split(" ", 4);
			switch (words[0]) {
				case "round" -> {
					this.round = new RoundOfWorker(this.order, this.contestant, words[1], Long.parseLong(words[2]),
							Path.of(words[3]));
				}
				case "soak" -> {
					String[] place = words[3].split(" ", -1);
					this.soak = new SoakOfWorker(this.contestant, Integer.parseInt(words[1]), Long.parseLong(words[2]),
							Integer.parseInt(place[0]), Integer.parseInt(place[1]));
				}
				case "sample" -> out.println(sample().line());
				case "interrupt" -> current().interrupt();
				case "cancel" -> this.contestant.cancelPending();
				case "fill" -> this.ballast.load();
				case "free" -> this.ballast.drop();
				case "hold" -> current().holdOn();
				case "close" -> this.contestant.close();
				case "leave" -> {
					// Each lock is released, so the retained ones are idle when the
					// library closes
					warmUp();
					this.contestant.close();
					out.println(sample().line());
				}
				case "stop" -> {
					if (this.soak != null) {
						this.soak.stop();
					}
					else {
						current().stop();
					}
					out.println(report().line());
				}
				default -> throw new IllegalArgumentException("'line' must be a command, was " + line);
			}
		}
	}

	private RoundOfWorker current() {
		return Objects.requireNonNull(this.round, "There is no round");
	}

	/**
	 * Counts the leftovers after the engine had time to release its locks.
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
				descriptors, (this.soak != null) ? this.soak.operations() : 0);
	}

}
