package io.lockable.campaign.report;

import java.util.List;
import java.util.Locale;

/**
 * The results as a picture: a bar for the longest recovery from each fault, red for a
 * broken promise.
 */
public final class SvgReport {

	private static final int LABEL = 360;

	private static final int WIDTH = 480;

	private static final int LINE = 18;

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
		StringBuilder text = new StringBuilder(
				"""
						<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">
						<rect width="100%%" height="100%%" fill="white"/>
						<text x="8" y="16" font-weight="bold">Longest recovery after each fault; red: a promise was broken</text>
						"""
					.formatted(LABEL + WIDTH + 140, (rows.size() + 2) * LINE));
		for (int i = 0; i < rows.size(); i++) {
			text.append(bar(rows.get(i), (i + 1) * LINE + 6, longest));
		}
		return text.append("</svg>\n").toString();
	}

	private static String bar(Row row, int y, long longest) {
		boolean broken = row.violations() > 0 || row.recoveryMillis() < 0;
		double length = (row.recoveryMillis() < 0) ? WIDTH : (double) WIDTH * row.recoveryMillis() / longest;
		String note = row.recovery() + (broken ? ", %d violations".formatted(row.violations()) : "");
		return String.format(Locale.ROOT, """
				<text x="%d" y="%d" text-anchor="end">%s, %s</text>
				<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>
				<text x="%.1f" y="%d">%s</text>
				""", LABEL - 8, y + LINE - 6, row.contestant(), row.fault(), LABEL, y + 2, Math.max(1, length),
				LINE - 4, broken ? "#c0392b" : "#2e7d32", LABEL + length + 6, y + LINE - 6, note);
	}

}
