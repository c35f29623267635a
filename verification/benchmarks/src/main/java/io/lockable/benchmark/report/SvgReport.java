package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;

/**
 * The primary figure of a scenario as a picture: a bar for each peer.
 */
public final class SvgReport {

	private static final int LABEL = 130;

	private static final int WIDTH = 470;

	private static final int LINE = 24;

	private static final int HEAD = 40;

	private static final String OURS = "#2e7d32";

	private static final String OTHERS = "#5c6f8a";

	private static final String LIMIT = "#b0b7c3";

	private SvgReport() {
	}

	/**
	 * Draws a scenario.
	 * @param results the figures
	 * @param scenario the scenario, with a figure at least
	 * @return the text of the picture
	 */
	public static String of(Results results, Scenario scenario) {
		Metric metric = results.metrics(scenario).get(0);
		List<Bar> bars = new ArrayList<>();
		for (PeerKind peer : results.peers(scenario)) {
			results.median(scenario, peer, metric).ifPresent((value) -> bars.add(new Bar(peer, value)));
		}
		double longest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
		int height = HEAD + bars.size() * LINE + LINE / 2;
		StringBuilder text = new StringBuilder(
				"""
						<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13" role="img">
						<title>%s</title>
						<rect width="100%%" height="100%%" rx="8" fill="white"/>
						<text x="16" y="24" font-weight="bold" fill="#22252b">%s</text>
						"""
					.formatted(LABEL + WIDTH + 100, height, LABEL + WIDTH + 100, height, title(scenario, metric),
							title(scenario, metric)));
		for (int i = 0; i < bars.size(); i++) {
			text.append(draw(bars.get(i), HEAD + i * LINE, longest));
		}
		return text.append("</svg>\n").toString();
	}

	private static String title(Scenario scenario, Metric metric) {
		return "%s: %s (%s, %s is better)".formatted(scenario.id(), scenario.title(), metric.label(),
				metric.moreIsBetter() ? "more" : "less");
	}

	private static String draw(Bar bar, int y, double longest) {
		double length = Math.max(1, WIDTH * bar.value() / longest);
		return String.format(Locale.ROOT, """
				<text x="%d" y="%d" text-anchor="end" fill="#22252b">%s</text>
				<rect x="%d" y="%d" width="%.1f" height="%d" rx="3" fill="%s"/>
				<text x="%.1f" y="%d" fill="#22252b">%s</text>
				""", LABEL - 8, y + 16, bar.peer().label(), LABEL, y + 2, length, LINE - 6, bar.color(),
				LABEL + length + 8, y + 16, MarkdownReport.number(bar.value()));
	}

	private record Bar(PeerKind peer, double value) {

		String color() {
			return this.peer.isOurs() ? OURS : this.peer.isLimit() ? LIMIT : OTHERS;
		}

	}

}
