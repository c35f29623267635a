package io.lockable.benchmark.scenario;

import java.util.concurrent.ThreadLocalRandom;

import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.peer.PeerKind;

/**
 * An increasing number of JVMs over many keys. Each thread locks random keys of its own
 * range, so that no thread waits: the limits cannot wait.
 *
 * @param processes the number of JVMs
 */
record ScalingScenario(int processes) implements Scenario {

	private static final int KEYS = 10_000;

	private static final int THREADS = 4;

	@Override
	public String id() {
		return "G%d".formatted(this.processes);
	}

	@Override
	public String title() {
		return "%d JVM%s of %d threads on %,d keys".formatted(this.processes, (this.processes > 1) ? "s" : "", THREADS,
				KEYS);
	}

	@Override
	public int slots() {
		return KEYS;
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer.runsUncontended();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		int part = KEYS / (this.processes * THREADS);
		int first = site.process() * THREADS * part;
		try (Loop loop = new Loop(site, THREADS, KEYS,
				(thread) -> first + thread * part + ThreadLocalRandom.current().nextInt(part), Section.EMPTY)) {
			return loop.measure();
		}
	}

}
