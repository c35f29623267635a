package io.lockable.campaign.check;

import java.util.List;

/**
 * Whether a number grows over a soak: the median of the second quarter of its samples
 * beside that of the last quarter. The first quarter is for warming up.
 *
 * @param name what was sampled
 * @param before the median of the second quarter
 * @param after the median of the last quarter
 * @param allowed the largest median of the last quarter that is no growth
 */
public record Trend(String name, long before, long after, long allowed) {

	private static final int LEAST_SAMPLES = 8;

	/**
	 * Compares samples.
	 * @param name what was sampled
	 * @param samples the samples, in order; at least eight
	 * @param percent by how much the number may grow, in percent
	 * @param slack by how much it may grow in any case
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
	 * @return whether it is more than allowed
	 */
	public boolean grows() {
		return this.after > this.allowed;
	}

	@Override
	public String toString() {
		return "%s: %d after %d, at most %d allowed".formatted(this.name, this.after, this.before, this.allowed);
	}

}
