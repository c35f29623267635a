package io.lockable.campaign.report;

import java.util.List;

import io.lockable.campaign.check.Trend;

/**
 * The result of a soak.
 *
 * @param contestants the contestant of each worker
 * @param keys the number of locks
 * @param samples the samples
 * @param trends the growth of each number
 * @param remains the leftovers after all workers had stopped and disconnected
 * @param repeat the command that repeats the soak
 */
public record SoakResult(List<String> contestants, int keys, List<SoakSample> samples, List<Trend> trends,
		List<String> remains, String repeat) {

	/**
	 * Returns whether nothing grew and nothing remained.
	 * @return whether the exit code of the campaign may be 0
	 */
	public boolean isSound() {
		return this.remains.isEmpty() && this.trends.stream().noneMatch(Trend::grows);
	}

	/**
	 * Returns the number of acquisitions.
	 * @return the number until the last sample
	 */
	public long operations() {
		return this.samples.get(this.samples.size() - 1)
			.workers()
			.stream()
			.mapToLong((worker) -> worker.operations())
			.sum();
	}

}
