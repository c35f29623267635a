package io.lockable.benchmark.scenario;

import java.time.Duration;

/**
 * How long the phases of a cell take.
 *
 * @param warmup how long a worker runs before it is measured
 * @param measured how long it is measured, where a scenario has no time of its own
 * @param renewal how long leases are held in the renewal scenario
 */
public record Pace(Duration warmup, Duration measured, Duration renewal) {

	private static final int RARE = 10;

	/**
	 * Returns the warm-up of a scenario whose hand-offs cross JVMs. They are rare, so the
	 * JIT compiler finds their code later.
	 * @return ten times the warm-up
	 */
	Duration longWarmup() {
		return this.warmup.multipliedBy(RARE);
	}

	double measuredSeconds() {
		return this.measured.toNanos() / 1e9;
	}

	double renewalSeconds() {
		return this.renewal.toNanos() / 1e9;
	}

}
