package io.lockable.campaign.report;

import java.util.List;

import io.lockable.harness.report.BarChart;
import io.lockable.harness.report.BarChart.Bar;

/**
 * The results as a picture: a bar for the longest recovery from each fault, red for a
 * broken promise.
 */
public final class SvgReport {

	private static final int LABEL = 300;

	private SvgReport() {
	}

	/**
	 * Draws the report.
	 * @param results the rounds
	 * @return the text of the picture
	 */
	public static String of(List<RoundResult> results) {
		List<Row> rows = Row.of(results);
		long longest = Math.max(1, rows.stream().mapToLong(Row::recoveryMillis).max().orElse(1));
		return new BarChart("Longest recovery after each fault; red: a promise was broken", LABEL,
				rows.stream().map((row) -> bar(row, longest)).toList())
			.draw();
	}

	private static Bar bar(Row row, long longest) {
		boolean broken = row.violations() > 0 || row.recoveryMillis() < 0;
		String note = RoundResult.recovery(row.recoveryMillis())
				+ (broken ? ", %d violations".formatted(row.violations()) : "");
		return new Bar(row.contestant() + ", " + row.fault(),
				(row.recoveryMillis() < 0) ? longest : row.recoveryMillis(), broken ? "#c0392b" : "#2e7d32", note);
	}

}
