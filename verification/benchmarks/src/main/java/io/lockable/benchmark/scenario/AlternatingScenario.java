package io.lockable.benchmark.scenario;

import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Tally;

/**
 * Two JVMs alternate on one key, with a burst of acquisitions per turn. The turn is in
 * the witness's file, so only the lock sends commands to the server.
 *
 * @param burst the acquisitions of a burst
 */
record AlternatingScenario(int burst) implements PairScenario {

	private static final String BURST = "burst";

	@Override
	public String id() {
		return "Ralt-%d".formatted(this.burst);
	}

	@Override
	public String title() {
		return "two JVMs alternate on one key in bursts of %,d".formatted(this.burst);
	}

	@Override
	public void run(Site site, Turns turns, long end, Tally tally) throws InterruptedException {
		String key = Site.key(0);
		while (turns.await(end)) {
			long before = System.nanoTime();
			for (int pair = 0; pair < this.burst; pair++) {
				site.use(site.peer().lock(key), 0, 0, tally);
			}
			tally.took(BURST, System.nanoTime() - before);
			turns.pass();
		}
	}

	@Override
	public Map<Metric, Double> evaluate(Course course) {
		Map<Metric, Double> values = PairScenario.super.evaluate(course);
		Throughput.putPercentiles(values, course.times(BURST), Throughput.MILLIS, Metric.BURST_P50, Metric.BURST_P99);
		return values;
	}

}
