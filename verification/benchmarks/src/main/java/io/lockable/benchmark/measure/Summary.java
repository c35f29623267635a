package io.lockable.benchmark.measure;

import java.util.Arrays;
import java.util.Collection;

/**
 * One figure over all rounds.
 *
 * @param median the median
 * @param min the smallest
 * @param max the largest
 */
public record Summary(double median, double min, double max) {

	/**
	 * Summarizes figures.
	 * @param values the figures of the rounds, at least one
	 * @return the summary
	 */
	public static Summary of(Collection<Double> values) {
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		if (sorted.length == 0) {
			throw new IllegalArgumentException("'values' must not be empty, was " + Arrays.toString(sorted));
		}
		double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
		return new Summary(median, sorted[0], sorted[sorted.length - 1]);
	}

}
