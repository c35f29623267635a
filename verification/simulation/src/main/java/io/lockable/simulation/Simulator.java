package io.lockable.simulation;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command line: runs seeds, repeats one of them, or runs for hours.
 */
public final class Simulator {

	private static final String USAGE = """
			./verification/simulation/run --seeds 1-1000
			./verification/simulation/run --seed 42 [--faults PAUSE@i1#3,CLOSE@i2/1.1#7] [--trace | --diagram]
			./verification/simulation/run --hours 8 [--from 1000000]
			""";

	/**
	 * The orders in which the faults of a violation are left out.
	 */
	private static final int ORDERS = 8;

	private static final int DOUBLED = 100;

	private final PrintStream out;

	private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

	private long seeds;

	private long grants;

	private long nested;

	private long deadlocks;

	private long nanos;

	private int violations;

	/**
	 * Creates a run of the command.
	 * @param out receives the report
	 */
	Simulator(PrintStream out) {
		this.out = out;
	}

	/**
	 * Runs the simulation.
	 * @param arguments the flags
	 */
	public static void main(String[] arguments) {
		((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
		PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		int status = new Simulator(out).run(arguments);
		System.exit(status);
	}

	/**
	 * Runs the command.
	 * @param arguments the flags
	 * @return 1 after a violation, otherwise 0
	 */
	int run(String... arguments) {
		Map<String, String> flags = new HashMap<>();
		for (int i = 0; i < arguments.length; i++) {
			boolean hasValue = i + 1 < arguments.length && !arguments[i + 1].startsWith("--");
			flags.put(arguments[i], hasValue ? arguments[i + 1] : "");
			i += hasValue ? 1 : 0;
		}
		String range = flags.get("--seeds");
		String seed = flags.get("--seed");
		String hours = flags.get("--hours");
		if (range != null) {
			String[] bounds = range.split("-", 2);
			run(Long.parseLong(bounds[0]), Long.parseLong(bounds[bounds.length - 1]), Long.MAX_VALUE);
		}
		else if (seed != null) {
			repeat(Long.parseLong(seed), flags);
		}
		else if (hours != null) {
			long end = System.nanoTime() + (long) (Double.parseDouble(hours) * 3_600e9);
			run(Long.parseLong(flags.getOrDefault("--from", "1000000")), Long.MAX_VALUE, end);
		}
		else {
			this.out.print(USAGE);
		}
		return (this.violations > 0) ? 1 : 0;
	}

	private void run(long from, long to, long end) {
		long start = System.nanoTime();
		long reportAt = start + 60_000_000_000L;
		for (long seed = from; seed <= to && System.nanoTime() - end < 0; seed++) {
			Simulation.Result result = Simulation.run(seed);
			count(result);
			if (seed % DOUBLED == 0 && Simulation.run(seed).hash() != result.hash()) {
				this.violations++;
				this.out.println("seed " + seed + ": two runs differ");
			}
			if (result.violation() != null) {
				report(result);
			}
			if (System.nanoTime() - reportAt > 0) {
				summarize(start);
				reportAt += 600_000_000_000L;
			}
		}
		summarize(start);
	}

	private void count(Simulation.Result result) {
		this.seeds++;
		this.grants += result.grants();
		this.nested += result.nested();
		this.deadlocks += result.deadlocks();
		this.nanos += result.nanos();
		result.counts().forEach((fault, count) -> this.counts.merge(fault, count, Integer::sum));
	}

	private void report(Simulation.Result result) {
		this.violations++;
		this.out.printf("seed %d, hash %016x: %s%n", result.seed(), result.hash(), result.violation());
		Set<String> faults = Shrinker.shrink(result, UnaryOperator.identity(), ORDERS);
		this.out.printf("  %s%n", count(faults));
		this.out.printf("  ./verification/simulation/run --seed %d --faults %s --trace%n", result.seed(),
				faults.isEmpty() ? "none" : String.join(",", faults));
	}

	private static String count(Set<String> elements) {
		long faults = Shrinker.faults(elements);
		return "%d faults, %d elements of the schedule".formatted(faults, elements.size() - faults);
	}

	private void repeat(long seed, Map<String, String> flags) {
		String names = flags.get("--faults");
		Set<String> faults = (names != null) ? new LinkedHashSet<>(Arrays.asList(names.split(","))) : null;
		Simulation.Result result = new Simulation(seed, faults, true, UnaryOperator.identity()).run();
		if (flags.containsKey("--diagram")) {
			this.out.print(SequenceDiagram.of(result));
		}
		else if (flags.containsKey("--trace")) {
			result.trace().forEach(this.out::println);
		}
		this.out.printf("seed %d, hash %016x, %d leases, %s%n", seed, result.hash(), result.grants(),
				count(result.faults()));
		String violation = result.violation();
		if (violation != null) {
			this.violations++;
			this.out.println("violation of " + violation);
		}
	}

	private void summarize(long start) {
		double seconds = (System.nanoTime() - start) / 1e9;
		double processor = processorSeconds();
		this.out.printf(Locale.ROOT,
				"%d seeds, %d violations, %d leases, %d waits within a lock, %d deadlocks reported, %.1f simulated hours, %.0f s, %.1f seeds per second of one core%n",
				this.seeds, this.violations, this.grants, this.nested, this.deadlocks, this.nanos / 3.6e12, seconds,
				this.seeds / processor);
		this.out.println("faults: " + this.counts);
	}

	private static double processorSeconds() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system)
				? system.getProcessCpuTime() / 1e9 : Double.NaN;
	}

}
