package io.lockable.benchmark.measure;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

/**
 * The result of one worker.
 *
 * @param inTime acquisitions in the measured time, by thread
 * @param acquisitions all acquisitions of the measured phase
 * @param everCounted all acquisitions since the worker started, including the warm-up
 * @param overlaps the number of times that two holders were observed inside
 * @param cpuNanos the CPU time of the worker in the measured phase
 * @param insideNanos the time that the lock was held in the measured phase
 * @param times the hand-offs, and the times that only one scenario measures
 * @param extras the figures that only one scenario measures
 */
public record Outcome(List<Long> inTime, long acquisitions, long everCounted, long overlaps, long cpuNanos,
		long insideNanos, Map<String, HandOffs> times, Map<Metric, Double> extras) {

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
