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

	double measuredSeconds() {
		return this.measured.toNanos() / 1e9;
	}

	double renewalSeconds() {
		return this.renewal.toNanos() / 1e9;
	}

}
