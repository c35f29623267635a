package io.lockable.campaign.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A soak as a picture: four small plots over time, with a line for each worker or for
 * Redis. Colors follow the reader's scheme, dark or light.
 */
public final class SoakPlot {

	private static final int WIDTH = 400;

	private static final int HEIGHT = 150;

	private static final int GAP = 56;

	private static final int TOP = 72;

	/**
	 * Distinct for color-blind readers, and on black and white backgrounds.
	 */
	private static final List<String> COLORS = List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
			"#e69f00");

	private static final String REDIS_COLOR = "#8a6fd1";

	private final SoakResult result;

	private final StringBuilder text = new StringBuilder();

	private SoakPlot(SoakResult result) {
		this.result = result;
	}

	/**
	 * Draws the soak.
	 * @param result the soak
	 * @return the text of the picture
	 */
	public static String of(SoakResult result) {
		return new SoakPlot(result).draw();
	}

	private String draw() {
		int width = 2 * WIDTH + 3 * GAP;
		int height = TOP + 2 * (HEIGHT + GAP);
		add("""
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">
				<style>
				text { fill: #24292f; } .back { fill: #ffffff; } .grid { stroke: #d0d7de; } polyline { fill: none; stroke-width: 1.6; }
				@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .back { fill: #0d1117; } .grid { stroke: #3d444d; } }
				</style>
				<rect class="back" width="100%%" height="100%%"/>
				<text x="%d" y="22" font-size="14" font-weight="bold">Soak: what each worker and Redis have over time</text>
				""",
				width, height, width, height, GAP);
		legend();
		plot(0, "Heap in use, MB", workers((index) -> (sample) -> sample.workers().get(index).heap() / 1e6));
		plot(1, "Open descriptors", workers((index) -> (sample) -> sample.workers().get(index).descriptors()));
		plot(2, "Threads", workers((index) -> (sample) -> sample.workers().get(index).threads()));
		plot(3, "Keys in Redis", List.of(new Line(REDIS_COLOR, SoakSample::keys)));
		return this.text.append("</svg>\n").toString();
	}

	private void legend() {
		int x = GAP;
		for (int i = 0; i <= this.result.contestants().size(); i++) {
			boolean redis = i == this.result.contestants().size();
			String label = redis ? "Redis" : "w" + i + " " + this.result.contestants().get(i);
			add("<rect x=\"%d\" y=\"36\" width=\"14\" height=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"42\">%s</text>%n", x,
					redis ? REDIS_COLOR : color(i), x + 20, label);
			x += 44 + label.length() * 6;
		}
	}

	private List<Line> workers(java.util.function.IntFunction<ToDoubleFunction<SoakSample>> value) {
		return IntStream.range(0, this.result.contestants().size())
			.mapToObj((index) -> new Line(color(index), value.apply(index)))
			.toList();
	}

	private static String color(int index) {
		return COLORS.get(index % COLORS.size());
	}

	private void plot(int place, String title, List<Line> lines) {
		int left = GAP + place % 2 * (WIDTH + GAP);
		int top = TOP + place / 2 * (HEIGHT + GAP);
		double last = Math.max(1e-3, this.result.samples().get(this.result.samples().size() - 1).seconds());
		double highest = lines.stream()
			.flatMapToDouble((line) -> this.result.samples().stream().mapToDouble(line.value()))
			.max()
			.orElse(1);
		double step = step(highest);
		double scale = Math.max(step, Math.ceil(highest / step) * step);
		add("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>%n", left, top - 8, title);
		for (double value = 0; value <= scale + step / 2; value += step) {
			double y = top + HEIGHT - HEIGHT * value / scale;
			add("<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", left, y, left + WIDTH, y);
			add("<text x=\"%d\" y=\"%.1f\" font-size=\"10\" text-anchor=\"end\">%,.0f</text>%n", left - 5, y + 4,
					value);
		}
		for (int i = 0; i <= 4; i++) {
			add("<text x=\"%d\" y=\"%d\" font-size=\"10\" text-anchor=\"middle\">%s</text>%n", left + WIDTH * i / 4,
					top + HEIGHT + 15, time(last * i / 4));
		}
		for (Line line : lines) {
			String points = this.result.samples()
				.stream()
				.map((sample) -> String.format(Locale.ROOT, "%.1f,%.1f", left + WIDTH * sample.seconds() / last,
						top + HEIGHT - HEIGHT * line.value().applyAsDouble(sample) / scale))
				.collect(Collectors.joining(" "));
			add("<polyline stroke=\"%s\" points=\"%s\"/>%n", line.color(), points);
		}
	}

	/**
	 * Returns the distance of grid lines: 1, 2 or 5 times a power of ten, for at most
	 * five lines.
	 */
	private static double step(double highest) {
		double power = Math.max(1, Math.pow(10, Math.floor(Math.log10(Math.max(1, highest)))));
		for (double step : new double[] { power / 5, power / 2, power, power * 2 }) {
			if (step >= 1 && highest / step <= 5) {
				return step;
			}
		}
		return power * 2;
	}

	private static String time(double seconds) {
		return (seconds < 1) ? "0" : (seconds < 120) ? "%.0f s".formatted(seconds) : "%.0f min".formatted(seconds / 60);
	}

	private void add(String format, Object... arguments) {
		this.text.append(String.format(Locale.ROOT, format, arguments));
	}

	/**
	 * A line of a plot.
	 *
	 * @param color its color
	 * @param value its height
	 */
	private record Line(String color, ToDoubleFunction<SoakSample> value) {
	}

}
