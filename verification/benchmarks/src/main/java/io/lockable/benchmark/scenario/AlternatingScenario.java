package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.harness.peer.Peer.Held;

/**
 * Two JVMs alternate on one key, with a burst of acquisitions per turn. The turn is in
 * the witness's file, so only the lock sends commands to the server.
 *
 * @param burst the number of acquisitions of a turn
 */
record AlternatingScenario(int burst) implements Scenario {

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
	public int processes() {
		return 2;
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer == PeerKind.OURS_RETAINED || peer == PeerKind.OURS_CONFIRMED;
	}

	@Override
	public Duration warmup(Pace pace) {
		return pace.longWarmup();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		Turns turns = new Turns(site.witness(), site.process(), processes());
		return Loop.measure(site, warmup(site.pace()), (start, time) -> {
			Tally tally = new Tally(start);
			long end = start + time.toNanos();
			Site.awaitTime(start);
			while (turns.await(end)) {
				long before = System.nanoTime();
				lockAndUnlock(site, tally);
				tally.took(BURST, System.nanoTime() - before);
				turns.pass();
			}
			return List.of(tally);
		});
	}

	private void lockAndUnlock(Site site, Tally tally) throws InterruptedException {
		long holder = Witness.holder(site.process(), 0);
		String key = Site.key(0);
		for (int pair = 0; pair < this.burst; pair++) {
			Held held = site.peer().lock(key);
			site.witness().enter(0, holder, tally);
			tally.inTime();
			site.witness().exit(0, holder, tally);
			held.unlock();
		}
	}

	@Override
	public Measurement evaluate(Course course) {
		Map<Metric, Double> values = new EnumMap<>(Throughput.of(course).values());
		// Throughput would include the turns
		values.remove(Metric.THROUGHPUT);
		Throughput.putPercentiles(values, Throughput.times(course, BURST), Throughput.MILLIS, Metric.BURST_P50,
				Metric.BURST_P99);
		return new Measurement(values);
	}

}
