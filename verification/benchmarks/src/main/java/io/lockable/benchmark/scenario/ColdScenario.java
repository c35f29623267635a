package io.lockable.benchmark.scenario;

import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.PeerKind;

/**
 * A JVM that has just started acquires its first lock, and then a thousand. The start of
 * the JVM and the worker's own classes cost each peer the same.
 */
record ColdScenario() implements Scenario {

	private static final int PAIRS = 1_000;

	@Override
	public String id() {
		return "S";
	}

	@Override
	public String title() {
		return "a JVM starts, locks once, and then %,d times".formatted(PAIRS);
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer.runsUncontended();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		Map<Metric, Double> extras = new EnumMap<>(Metric.class);
		long start = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
		long entered = System.nanoTime();
		Tally tally = new Tally(entered);
		lock(site, tally);
		extras.put(Metric.FIRST, start + (System.nanoTime() - entered) / 1e6);
		long cpu = Outcome.processCpuNanos();
		extras.put(Metric.FIRST_CPU, cpu / 1e6);
		long first = System.nanoTime();
		for (int pair = 0; pair < PAIRS; pair++) {
			lock(site, tally);
		}
		extras.put(Metric.THOUSAND, (System.nanoTime() - first) / 1e6);
		extras.put(Metric.THOUSAND_CPU, (Outcome.processCpuNanos() - cpu) / 1e6);
		extras.put(Metric.COLD_CPU, Outcome.processCpuNanos() / 1e6);
		return Tally.sum(List.of(tally), List.of(), cpu, extras);
	}

	private static void lock(Site site, Tally tally) throws InterruptedException {
		site.use(site.peer().lock(Site.key(0)), 0, 0, tally);
	}

	@Override
	public Map<Metric, Double> evaluate(Course course) {
		Map<Metric, Double> values = new EnumMap<>(course.outcomes().get(0).extras());
		values.put(Metric.VIOLATIONS, course.violations());
		return values;
	}

}
