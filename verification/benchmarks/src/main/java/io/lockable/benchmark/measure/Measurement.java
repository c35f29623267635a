package io.lockable.benchmark.measure;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The figures of one cell in one round.
 *
 * @param values the figures
 */
public record Measurement(Map<Metric, Double> values) {

	/**
	 * Copies the figures.
	 */
	public Measurement {
		values = Collections.unmodifiableMap(new EnumMap<>(values));
	}

}
