package io.lockable.benchmark.scenario;

import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.peer.PeerKind;

/**
 * One JVM with a separate lock per thread.
 *
 * @param id the name
 * @param title the description
 * @param threads the number of threads
 */
record UncontendedScenario(String id, String title, int threads) implements Scenario {

	@Override
	public int slots() {
		return this.threads;
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer.runsUncontended();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		try (Loop loop = new Loop(site, this.threads, slots(), (thread) -> thread, Section.EMPTY)) {
			return loop.measure();
		}
	}

}
