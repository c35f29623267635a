package io.lockable.harness.report;

import java.util.List;
import java.util.Locale;

/**
 * A picture (SVG) with a horizontal bar for each figure.
 *
 * @param title the title
 * @param label the width of the labels
 * @param bars the bars
 */
public record BarChart(String title, int label, List<Bar> bars) {

	private static final int WIDTH = 470;

	private static final int LINE = 24;

	private static final int HEAD = 40;

	private static final int NOTE = 100;

	/**
	 * Draws the picture.
	 * @return its text
	 */
	public String draw() {
		double longest = this.bars.stream().mapToDouble(Bar::value).max().orElse(1);
		int width = this.label + WIDTH + NOTE;
		int height = HEAD + this.bars.size() * LINE + LINE / 2;
		StringBuilder text = new StringBuilder(
				"""
						<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13" role="img">
						<title>%s</title>
						<rect width="100%%" height="100%%" rx="8" fill="white"/>
						<text x="16" y="24" font-weight="bold" fill="#22252b">%s</text>
						"""
					.formatted(width, height, width, height, this.title, this.title));
		for (int i = 0; i < this.bars.size(); i++) {
			text.append(draw(this.bars.get(i), HEAD + i * LINE, longest));
		}
		return text.append("</svg>\n").toString();
	}

	private String draw(Bar bar, int y, double longest) {
		double length = Math.max(1, (longest > 0) ? WIDTH * bar.value() / longest : 0);
		return String.format(Locale.ROOT, """
				<text x="%d" y="%d" text-anchor="end" fill="#22252b">%s</text>
				<rect x="%d" y="%d" width="%.1f" height="%d" rx="3" fill="%s"/>
				<text x="%.1f" y="%d" fill="#22252b">%s</text>
				""", this.label - 8, y + 16, bar.label(), this.label, y + 2, length, LINE - 6, bar.color(),
				this.label + length + 8, y + 16, bar.note());
	}

	/**
	 * A bar.
	 *
	 * @param label the text before it
	 * @param value its length, on the scale of all bars
	 * @param color its color
	 * @param note the text after it
	 */
	public record Bar(String label, double value, String color, String note) {
	}

}
