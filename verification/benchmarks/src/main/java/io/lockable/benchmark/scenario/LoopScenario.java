package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.PeerKind;

/**
 * Threads lock and unlock. They contend for one key, or each of them has a part of the
 * keys. Several instances in a JVM have a thread each, and share all keys.
 *
 * @param id the name
 * @param title the description
 * @param processes the number of JVMs
 * @param threads the number of threads of each JVM
 * @param instances the number of instances of each JVM
 * @param slots the number of keys
 * @param section the duration of the critical section
 * @param retained whether the peers are those of retained locks
 */
record LoopScenario(String id, String title, int processes, int threads, int instances, int slots, Duration section,
		boolean retained) implements Scenario {

	private static final int KEYS = 10_000;

	// So that the origins of renewal commands are known before they are counted
	private static final Duration UNTIL_RENEWED = PeerKind.LEASE.dividedBy(2);

	static LoopScenario uncontended(String id, String title, int threads) {
		return new LoopScenario(id, title, 1, threads, 1, threads, Duration.ZERO, false);
	}

	static LoopScenario contended(String id, int processes, int threads, Duration section) {
		return new LoopScenario(id,
				"%s in %s on one key, %s".formatted((threads > 1) ? threads + " threads" : "one thread",
						(processes > 1) ? "each of " + processes + " JVMs" : "one JVM",
						section.isZero() ? "empty sections" : section.toMillis() + " ms sections (parked)"),
				processes, threads, 1, 1, section, false);
	}

	static LoopScenario scaling(int processes) {
		return new LoopScenario("G" + processes,
				"%d JVM%s of 4 threads on %,d keys".formatted(processes, (processes > 1) ? "s" : "", KEYS), processes,
				4, 1, KEYS, Duration.ZERO, false);
	}

	/**
	 * Creates a scenario of instances with one thread each, in at most four JVMs.
	 * @param instances their number
	 * @param keys the number of keys
	 * @return the scenario
	 */
	static LoopScenario instances(int instances, int keys) {
		int processes = Math.min(instances, 4);
		boolean one = keys == 1;
		return new LoopScenario((one ? "I" : "K") + instances,
				"%d instances of one thread in %d JVMs on %s".formatted(instances, processes,
						one ? "one key, 1 ms sections (parked)" : "%,d keys".formatted(keys)),
				processes, instances / processes, instances / processes, keys,
				one ? Duration.ofMillis(1) : Duration.ZERO, false);
	}

	static LoopScenario retained(String id, String what, int threads) {
		return new LoopScenario(id, "%s, retained %d s".formatted(what, PeerKind.LEASE.toSeconds()), 1, threads, 1,
				threads, Duration.ZERO, true);
	}

	boolean isContended() {
		return this.slots < this.processes * this.threads;
	}

	@Override
	public boolean includes(PeerKind peer) {
		if (this.retained) {
			return peer == PeerKind.OURS_RETAINED || peer == PeerKind.LIMIT_LETTUCE;
		}
		return isContended() ? peer.waits() : peer.runsUncontended();
	}

	@Override
	public Duration warmup(Pace pace) {
		if (this.retained && pace.warmup().compareTo(UNTIL_RENEWED) < 0) {
			return UNTIL_RENEWED;
		}
		return (isContended() && this.processes > 1) ? pace.longWarmup() : pace.warmup();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		List<Tally> seen = new ArrayList<>();
		if (this.retained) {
			// Many threads that never block leave the JIT compiler no time: one thread
			// warms it up
			try (Loop first = new Loop(site, this, 1)) {
				seen.addAll(first.run(System.nanoTime(), warmup(site.pace())));
			}
		}
		try (Loop loop = new Loop(site, this, this.threads)) {
			seen.addAll(loop.run(System.nanoTime(), warmup(site.pace())));
			return Loop.measure(site, seen, loop::run);
		}
	}

	@Override
	public Map<Metric, Double> evaluate(Course course) {
		Map<Metric, Double> values = isContended() ? Throughput.ofContended(course) : Throughput.of(course);
		if (this.retained) {
			values.put(Metric.COMMAND_RATE,
					course.commandsBetween(Loop.START, Loop.END) / course.pace().measuredSeconds());
		}
		return values;
	}

}
