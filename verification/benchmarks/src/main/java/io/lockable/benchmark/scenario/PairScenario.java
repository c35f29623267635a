package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.PeerKind;

/**
 * Two JVMs with one thread each, which use a key of this project in turn.
 */
interface PairScenario extends Scenario {

	@Override
	default int processes() {
		return 2;
	}

	@Override
	default boolean includes(PeerKind peer) {
		return peer == PeerKind.OURS_RETAINED || peer == PeerKind.OURS_CONFIRMED;
	}

	@Override
	default Duration warmup(Pace pace) {
		return pace.longWarmup();
	}

	@Override
	default Outcome work(Site site) throws Exception {
		Turns turns = new Turns(site.witness(), site.process(), processes());
		Loop.Phase phase = (start, time) -> {
			Tally tally = new Tally(start);
			Site.awaitTime(start);
			run(site, turns, start + time.toNanos(), tally);
			return List.of(tally);
		};
		return Loop.measure(site, phase.run(System.nanoTime(), warmup(site.pace())), phase);
	}

	/**
	 * Uses the key until the end of a phase.
	 * @param site the worker's environment
	 * @param turns the turns of the JVMs
	 * @param end the end, on the monotonic clock
	 * @param tally the record of the thread
	 * @throws InterruptedException if the thread was interrupted
	 */
	void run(Site site, Turns turns, long end, Tally tally) throws InterruptedException;

	@Override
	default Map<Metric, Double> evaluate(Course course) {
		Map<Metric, Double> values = Throughput.of(course);
		// Throughput would include the turns and the pauses
		values.remove(Metric.THROUGHPUT);
		return values;
	}

}
