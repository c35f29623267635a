package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.PeerKind;

/**
 * One JVM with a separate lock per thread, which the JVM retains between two
 * acquisitions.
 *
 * @param id the name
 * @param what the description
 * @param threads the number of threads
 */
record RetainedScenario(String id, String what, int threads) implements Scenario {

	// So that the origins of renewal commands are known before they are counted
	private static final Duration UNTIL_RENEWED = PeerKind.LEASE.dividedBy(2);

	@Override
	public String title() {
		return "%s, retained %d s".formatted(this.what, PeerKind.LEASE.toSeconds());
	}

	@Override
	public int slots() {
		return this.threads;
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer == PeerKind.OURS_RETAINED || peer == PeerKind.LIMIT_LETTUCE;
	}

	@Override
	public Duration expectedTime(Pace pace) {
		return warmup(pace).multipliedBy(2).plus(pace.measured());
	}

	@Override
	public Duration warmup(Pace pace) {
		return (pace.warmup().compareTo(UNTIL_RENEWED) > 0) ? pace.warmup() : UNTIL_RENEWED;
	}

	@Override
	public Outcome work(Site site) throws Exception {
		Duration warmup = warmup(site.pace());
		// Many threads that never block leave the JIT compiler no time: one thread warms
		// it
		// up
		List<Tally> seen = new ArrayList<>();
		try (Loop first = new Loop(site, 1, slots(), (thread) -> thread, Section.EMPTY)) {
			seen.addAll(first.run(System.nanoTime(), warmup));
		}
		try (Loop loop = new Loop(site, this.threads, slots(), (thread) -> thread, Section.EMPTY)) {
			seen.addAll(loop.run(System.nanoTime(), warmup));
			return Loop.measure(site, seen, loop::run);
		}
	}

	@Override
	public Measurement evaluate(Course course) {
		Map<Metric, Double> values = new EnumMap<>(Throughput.of(course).values());
		values.put(Metric.COMMAND_RATE, course.commandsBetween(Loop.START, Loop.END) / course.pace().measuredSeconds());
		return new Measurement(values);
	}

}
