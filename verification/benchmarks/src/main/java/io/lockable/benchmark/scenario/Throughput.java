package io.lockable.benchmark.scenario;

import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.server.ServerFigures;
import org.HdrHistogram.Histogram;

/**
 * The figures of a scenario with a {@link Loop}.
 */
final class Throughput {

	static final double MICROS = 1e3;

	static final double MILLIS = 1e6;

	private Throughput() {
	}

	static Map<Metric, Double> of(Course course) {
		List<Outcome> outcomes = course.outcomes();
		ServerFigures server = course.between(Loop.START, Loop.END);
		double acquisitions = outcomes.stream().mapToLong(Outcome::acquisitions).sum();
		double inTime = outcomes.stream().mapToLong(Outcome::sumInTime).sum();
		double cpu = outcomes.stream().mapToLong(Outcome::cpuNanos).sum();
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.THROUGHPUT, inTime / course.pace().measuredSeconds());
		values.put(Metric.COMMANDS, course.commandsBetween(Loop.START, Loop.END) / acquisitions);
		if (server.bytesIn() > 0) {
			values.put(Metric.BYTES_IN, server.bytesIn() / acquisitions);
			values.put(Metric.BYTES_OUT, server.bytesOut() / acquisitions);
		}
		values.put(Metric.CLIENT_CPU, cpu / acquisitions / 1e3);
		values.put(Metric.SERVER_CPU, server.cpuSeconds() / acquisitions * 1e6);
		values.put(Metric.CONNECTIONS, (double) server.connections());
		values.put(Metric.VIOLATIONS, course.violations());
		return values;
	}

	/**
	 * Computes the figures, including those about contention.
	 * @param course the course of the cell
	 * @return the figures
	 */
	static Map<Metric, Double> ofContended(Course course) {
		List<Outcome> outcomes = course.outcomes();
		Map<Metric, Double> values = of(course);
		Histogram local = course.times(Tally.LOCAL);
		Histogram remote = course.times(Tally.REMOTE);
		Histogram waits = course.times(Tally.WAIT);
		values.put(Metric.WAIT_P50, waits.getValueAtPercentile(50) / MILLIS);
		values.put(Metric.WAIT_MAX, waits.getMaxValue() / MILLIS);
		putPercentiles(values, local, MICROS, Metric.LOCAL_P50, Metric.LOCAL_P99);
		putPercentiles(values, remote, MILLIS, Metric.REMOTE_P50, Metric.REMOTE_P99);
		if (remote.getTotalCount() > 0) {
			values.put(Metric.REMOTE_TRIPS,
					(double) remote.getValueAtPercentile(50) / course.server().roundTrip().toNanos());
		}
		double inside = outcomes.stream().mapToLong(Outcome::insideNanos).sum() / 1e9;
		long acquisitions = outcomes.stream().mapToLong(Outcome::acquisitions).sum();
		values.put(Metric.SECTIONS_SHARE, values.getOrDefault(Metric.THROUGHPUT, 0.0) * inside / acquisitions);
		values.put(Metric.THREAD_SHARE,
				minShare(outcomes.stream().flatMap((outcome) -> outcome.inTime().stream()).toList()));
		if (outcomes.size() > 1) {
			List<Long> counts = outcomes.stream().map(Outcome::sumInTime).toList();
			values.put(Metric.PROCESS_SHARE, minShare(counts));
			values.put(Metric.PROCESS_RATIO, ratio(counts));
			values.put(Metric.REMOTE_SHARE, 100.0 * remote.getTotalCount() / acquisitions);
		}
		return values;
	}

	/**
	 * Adds percentiles of times.
	 * @param values the target; unchanged if there are no times
	 * @param nanos the times
	 * @param unit nanoseconds of the unit of the figures
	 * @param median the metric of the 50th percentile
	 * @param high the metric of the 99th percentile
	 */
	static void putPercentiles(Map<Metric, Double> values, Histogram nanos, double unit, Metric median, Metric high) {
		if (nanos.getTotalCount() > 0) {
			values.put(median, nanos.getValueAtPercentile(50) / unit);
			values.put(high, nanos.getValueAtPercentile(99) / unit);
		}
	}

	/**
	 * Divides the largest count by the smallest.
	 * @param counts the counts
	 * @return the ratio; a count of zero is taken as one
	 */
	static double ratio(List<Long> counts) {
		LongSummaryStatistics statistics = counts.stream().mapToLong(Long::longValue).summaryStatistics();
		return (double) statistics.getMax() / Math.max(1, statistics.getMin());
	}

	static double minShare(List<Long> counts) {
		LongSummaryStatistics statistics = counts.stream().mapToLong(Long::longValue).summaryStatistics();
		return (statistics.getMax() > 0) ? statistics.getMin() / statistics.getAverage() : 0;
	}

}
