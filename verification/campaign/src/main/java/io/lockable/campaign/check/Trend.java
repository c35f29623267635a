package io.lockable.campaign.check;

import java.util.List;

/**
 * The growth of a number during a soak: the median of the second quarter of its samples,
 * compared with the last quarter. The first quarter is the warm-up.
 *
 * @param name the name of the samples
 * @param before the median of the second quarter
 * @param after the median of the last quarter
 * @param allowed the largest permitted median of the last quarter
 */
public record Trend(String name, long before, long after, long allowed) {

	private static final int LEAST_SAMPLES = 8;

	/**
	 * Compares samples.
	 * @param name the name of the samples
	 * @param samples the samples, in order; at least eight
	 * @param percent the permitted growth in percent
	 * @param slack the permitted absolute growth
	 * @return the trend
	 */
	public static Trend of(String name, List<Long> samples, int percent, long slack) {
		int size = samples.size();
		if (size < LEAST_SAMPLES) {
			throw new IllegalArgumentException("'samples' must be at least " + LEAST_SAMPLES + ", was " + size);
		}
		long before = median(samples.subList(size / 4, size / 2));
		return new Trend(name, before, median(samples.subList(size - size / 4, size)),
				before + before * percent / 100 + slack);
	}

	private static long median(List<Long> samples) {
		return samples.stream().sorted().toList().get(samples.size() / 2);
	}

	/**
	 * Returns whether the number has grown.
	 * @return whether it exceeds the permitted median
	 */
	public boolean grows() {
		return this.after > this.allowed;
	}

	@Override
	public String toString() {
		return "%s: %d after %d, at most %d allowed".formatted(this.name, this.after, this.before, this.allowed);
	}

}
