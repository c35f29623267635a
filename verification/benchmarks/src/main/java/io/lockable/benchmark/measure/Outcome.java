package io.lockable.benchmark.measure;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.sun.management.OperatingSystemMXBean;

/**
 * The result of one worker.
 *
 * @param inTime acquisitions in the measured time, by thread
 * @param acquisitions all acquisitions of the measured phase
 * @param everCounted all acquisitions since the worker started, including the warm-up
 * @param overlaps the number of times that two holders were observed inside
 * @param cpuNanos the CPU time of the worker in the measured phase
 * @param local hand-offs between its own threads
 * @param remote hand-offs from other workers
 * @param insideNanos the time that the lock was held in the measured phase
 * @param times the times that only one scenario measures
 * @param extras the figures that only one scenario measures
 */
public record Outcome(List<Long> inTime, long acquisitions, long everCounted, long overlaps, long cpuNanos,
		HandOffs local, HandOffs remote, long insideNanos, Map<String, HandOffs> times, Map<String, Double> extras) {

	/**
	 * Combines the records of the threads.
	 * @param tallies one record of each thread, of the measured phase
	 * @param others the records of all other phases
	 * @param cpuNanos the CPU time
	 * @param extras the figures that only this scenario measures
	 * @return the outcome
	 */
	public static Outcome of(List<Tally> tallies, List<Tally> others, long cpuNanos, Map<String, Double> extras) {
		long acquisitions = tallies.stream().mapToLong(Tally::count).sum();
		long before = others.stream().mapToLong(Tally::count).sum();
		long overlaps = tallies.stream().mapToLong(Tally::overlaps).sum()
				+ others.stream().mapToLong(Tally::overlaps).sum();
		return new Outcome(tallies.stream().map(Tally::countInTime).toList(), acquisitions, acquisitions + before,
				overlaps, cpuNanos, HandOffs.of(tallies.stream().map(Tally::localHandOffs)),
				HandOffs.of(tallies.stream().map(Tally::remoteHandOffs)),
				tallies.stream().mapToLong(Tally::insideNanos).sum(), timesOf(tallies), extras);
	}

	private static Map<String, HandOffs> timesOf(List<Tally> tallies) {
		return tallies.stream()
			.flatMap((tally) -> tally.times().keySet().stream())
			.distinct()
			.collect(Collectors.toMap(Function.identity(), (what) -> HandOffs
				.of(tallies.stream().map(Tally::times).map((times) -> times.get(what)).filter(Objects::nonNull))));
	}

	/**
	 * Returns the acquisitions of this worker in the measured time.
	 * @return the sum over its threads
	 */
	public long sumInTime() {
		return this.inTime.stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Returns the CPU time of this JVM.
	 * @return nanoseconds since its start
	 */
	public static long processCpuNanos() {
		return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
	}

}
