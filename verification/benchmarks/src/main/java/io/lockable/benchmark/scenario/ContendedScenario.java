package io.lockable.benchmark.scenario;

import java.time.Duration;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.peer.PeerKind;

/**
 * All threads of all JVMs contend for the same lock.
 *
 * @param id the name
 * @param processes the number of JVMs
 * @param threads the number of threads of each JVM
 * @param section the critical section
 */
record ContendedScenario(String id, int processes, int threads, Section section) implements Scenario {

	@Override
	public String title() {
		return "%d threads in %s on one key, %s".formatted(this.threads,
				(this.processes > 1) ? "each of " + this.processes + " JVMs" : "one JVM", this.section.label());
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer.waits();
	}

	@Override
	public Duration warmup(Pace pace) {
		return (this.processes > 1) ? pace.longWarmup() : pace.warmup();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		try (Loop loop = new Loop(site, this.threads, slots(), (thread) -> 0, this.section)) {
			return Loop.measure(site, warmup(site.pace()), loop::run);
		}
	}

	@Override
	public Measurement evaluate(Course course) {
		return Throughput.ofContended(course);
	}

}
