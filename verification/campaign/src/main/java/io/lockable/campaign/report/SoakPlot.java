package io.lockable.campaign.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockable.campaign.worker.Report;

/**
 * A soak as a picture: four small plots over time, with a line for each worker or for
 * Redis. Colors follow the reader's scheme, dark or light.
 *
 * @param result the soak
 * @param text the picture so far
 */
public record SoakPlot(SoakResult result, StringBuilder text) {

	private static final int WIDTH = 400;

	private static final int HEIGHT = 150;

	private static final int GAP = 56;

	private static final int TOP = 72;

	/**
	 * Distinct for color-blind readers, and on black and white backgrounds.
	 */
	private static final List<String> COLORS = List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
			"#e69f00");

	private static final String HEAD = """
			<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 968 484" font-family="sans-serif" font-size="12">
			<style>
			text { fill: #24292f; } .back { fill: #ffffff; } .grid { stroke: #d0d7de; } polyline { fill: none; stroke-width: 1.6; }
			@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .back { fill: #0d1117; } .grid { stroke: #3d444d; } }
			</style>
			<rect class="back" width="100%" height="100%"/>
			<text x="56" y="22" font-size="14" font-weight="bold">Soak: what each worker and Redis have over time</text>
			<text x="56" y="42">""";

	/**
	 * Draws the soak.
	 * @param result the soak
	 * @return the text of the picture
	 */
	public static String of(SoakResult result) {
		SoakPlot plot = new SoakPlot(result, new StringBuilder(HEAD));
		for (int i = 0; i < result.contestants().size(); i++) {
			plot.add("<tspan style=\"fill: %s\">w%d %s</tspan> ", color(i), i, result.contestants().get(i));
		}
		plot.add("</text>%n");
		plot.drawWorkers(0, "Heap in use, MB", (report) -> report.heap() / 1e6);
		plot.drawWorkers(1, "Open descriptors", Report::descriptors);
		plot.drawWorkers(2, "Threads", Report::threads);
		plot.draw(3, "Keys in Redis", List.of(SoakSample::keys));
		return plot.text.append("</svg>\n").toString();
	}

	private static String color(int index) {
		return COLORS.get(index % COLORS.size());
	}

	private void drawWorkers(int place, String title, ToDoubleFunction<Report> value) {
		draw(place, title,
				IntStream.range(0, this.result.contestants().size())
					.<ToDoubleFunction<SoakSample>>mapToObj(
							(worker) -> (sample) -> value.applyAsDouble(sample.workers().get(worker)))
					.toList());
	}

	private void draw(int place, String title, List<ToDoubleFunction<SoakSample>> lines) {
		int left = GAP + place % 2 * (WIDTH + GAP);
		int top = TOP + place / 2 * (HEIGHT + GAP);
		List<SoakSample> samples = this.result.samples();
		double last = Math.max(1e-3, samples.get(samples.size() - 1).seconds());
		double highest = Math.max(1,
				lines.stream().flatMapToDouble((line) -> samples.stream().mapToDouble(line)).max().orElse(1));
		add("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>%n", left, top - 8, title);
		for (int i = 0; i <= 4; i++) {
			int y = top + HEIGHT * (4 - i) / 4;
			add("<line class=\"grid\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>", left, y, left + WIDTH, y);
			add("<text x=\"%d\" y=\"%d\" font-size=\"10\" text-anchor=\"end\">%,.0f</text>", left - 5, y + 4,
					highest * i / 4);
			add("<text x=\"%d\" y=\"%d\" font-size=\"10\" text-anchor=\"middle\">%.0f s</text>%n", left + WIDTH * i / 4,
					top + HEIGHT + 15, last * i / 4);
		}
		for (int i = 0; i < lines.size(); i++) {
			ToDoubleFunction<SoakSample> line = lines.get(i);
			add("<polyline stroke=\"%s\" points=\"%s\"/>%n", color(i),
					samples.stream()
						.map((sample) -> String.format(Locale.ROOT, "%.1f,%.1f", left + WIDTH * sample.seconds() / last,
								top + HEIGHT - HEIGHT * line.applyAsDouble(sample) / highest))
						.collect(Collectors.joining(" ")));
		}
	}

	private void add(String format, Object... arguments) {
		this.text.append(String.format(Locale.ROOT, format, arguments));
	}

}
