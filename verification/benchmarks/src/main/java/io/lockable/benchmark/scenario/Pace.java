package io.lockable.benchmark.scenario;

import java.time.Duration;

/**
 * The durations of the phases of a cell.
 *
 * @param warmup the warm-up of a worker
 * @param measured the measurement, in scenarios without their own duration
 * @param renewal the duration of the leases in the renewal scenario
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
