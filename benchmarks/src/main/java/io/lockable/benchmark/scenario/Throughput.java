package io.lockable.benchmark.scenario;

import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;

import io.lockable.benchmark.measure.HandOffs;
import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.server.ServerFigures;
import org.HdrHistogram.Histogram;

/**
 * The figures of a scenario that is a {@link Loop}.
 */
final class Throughput {

	private Throughput() {
	}

	static Measurement of(Course course) {
		List<Outcome> outcomes = course.outcomes();
		ServerFigures server = course.between(Loop.START, Loop.END);
		double acquisitions = outcomes.stream().mapToLong(Outcome::acquisitions).sum();
		double inTime = outcomes.stream().mapToLong(Outcome::sumInTime).sum();
		double cpu = outcomes.stream().mapToLong(Outcome::cpuNanos).sum();
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.THROUGHPUT, inTime / course.pace().measuredSeconds());
		values.put(Metric.COMMANDS, course.commandsBetween(Loop.START, Loop.END) / acquisitions);
		values.put(Metric.BYTES_IN, server.bytesIn() / acquisitions);
		values.put(Metric.BYTES_OUT, server.bytesOut() / acquisitions);
		values.put(Metric.CLIENT_CPU, cpu / acquisitions / 1e3);
		values.put(Metric.SERVER_CPU, server.cpuSeconds() / acquisitions * 1e6);
		values.put(Metric.CONNECTIONS, (double) server.connections());
		values.put(Metric.VIOLATIONS, course.violations());
		return new Measurement(values);
	}

	/**
	 * Adds what is of interest where threads wait for each other.
	 * @param course how the cell went
	 * @return the figures
	 */
	static Measurement ofContended(Course course) {
		List<Outcome> outcomes = course.outcomes();
		Map<Metric, Double> values = new EnumMap<>(of(course).values());
		Histogram local = HandOffs.join(outcomes.stream().map(Outcome::local));
		Histogram remote = HandOffs.join(outcomes.stream().map(Outcome::remote));
		putPercentiles(values, local, Metric.LOCAL_P50, Metric.LOCAL_P99);
		putPercentiles(values, remote, Metric.REMOTE_P50, Metric.REMOTE_P99);
		values.put(Metric.THREAD_SHARE,
				minShare(outcomes.stream().flatMap((outcome) -> outcome.inTime().stream()).toList()));
		if (outcomes.size() > 1) {
			values.put(Metric.PROCESS_SHARE, minShare(outcomes.stream().map(Outcome::sumInTime).toList()));
			values.put(Metric.REMOTE_SHARE,
					100.0 * remote.getTotalCount() / outcomes.stream().mapToLong(Outcome::acquisitions).sum());
		}
		return new Measurement(values);
	}

	private static void putPercentiles(Map<Metric, Double> values, Histogram nanos, Metric median, Metric high) {
		if (nanos.getTotalCount() > 0) {
			values.put(median, nanos.getValueAtPercentile(50) / 1e3);
			values.put(high, nanos.getValueAtPercentile(99) / 1e3);
		}
	}

	static double minShare(List<Long> counts) {
		LongSummaryStatistics statistics = counts.stream().mapToLong(Long::longValue).summaryStatistics();
		return (statistics.getMax() > 0) ? statistics.getMin() / statistics.getAverage() : 0;
	}

}
