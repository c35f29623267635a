package io.lockable.benchmark;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.Store;
import io.lockable.benchmark.report.Environment;
import io.lockable.benchmark.report.JsonReport;
import io.lockable.benchmark.report.MarkdownReport;
import io.lockable.benchmark.report.Plot;
import io.lockable.benchmark.report.Results;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import io.lockable.benchmark.server.PostgresServer;
import io.lockable.benchmark.server.RedisServer;
import io.lockable.benchmark.server.Server;
import io.lockable.benchmark.worker.Crew;

/**
 * Runs the comparison and writes its results.
 */
public final class Benchmark {

	private final Settings settings;

	private final Server server;

	private final String flags;

	private final PrintStream console;

	private final Results results = new Results();

	private Benchmark(Settings settings, Server server, String flags, PrintStream console) {
		this.settings = settings;
		this.server = server;
		this.flags = flags;
		this.console = console;
	}

	/**
	 * Runs the benchmark with the given flags.
	 * @param arguments the flags
	 * @throws IOException if the results cannot be written
	 */
	public static void main(String[] arguments) throws IOException {
		PrintStream console = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		Settings settings;
		try {
			settings = Settings.parse(arguments);
		}
		catch (IllegalArgumentException ex) {
			console.println(ex.getMessage());
			console.println(Settings.USAGE);
			System.exit(2);
			return;
		}
		boolean valid;
		try (Server server = (settings.store() == Store.POSTGRESQL) ? PostgresServer.start(settings.roundTrip())
				: RedisServer.open(settings.redis(), settings.roundTrip())) {
			valid = new Benchmark(settings, server, String.join(" ", arguments), console).run();
		}
		System.exit(valid ? 0 : 1);
	}

	private boolean run() throws IOException {
		List<Cell> cells = Cell.plan(this.settings);
		this.console.printf("%d cells on %s at %s, %s ms a round trip%n", cells.size(), this.server.version(),
				this.server.clientAddress(), MarkdownReport.number(this.server.roundTrip().toNanos() / 1e6));
		Files.createDirectories(this.settings.out());
		Path log = this.settings.out().resolve("workers.log");
		Files.deleteIfExists(log);
		long start = System.nanoTime();
		for (int done = 1; done <= cells.size(); done++) {
			Cell cell = cells.get(done - 1);
			String figures = measure(cell, log);
			write();
			Duration left = Duration.ofNanos((System.nanoTime() - start) / done * (cells.size() - done));
			this.console.printf("[%d/%d] round %d  %-8s %-15s %s  (%d:%02d min left)%n", done, cells.size(),
					cell.round(), cell.scenario().id(), cell.peer().label(), figures, left.toMinutes(),
					left.toSecondsPart());
		}
		this.console.printf("%n%s%nResults in %s%n", MarkdownReport.of(this.results, environment()),
				this.settings.out().toAbsolutePath());
		return !this.results.hasOurFailure();
	}

	private String measure(Cell cell, Path log) {
		this.server.clear();
		try {
			Map<Metric, Double> measurement = Crew.work(cell.scenario(), cell.peer(), this.server, this.settings.pace(),
					log);
			this.results.add(cell.scenario(), cell.peer(), measurement);
			double violations = measurement.getOrDefault(Metric.VIOLATIONS, 0.0);
			if (violations > 0) {
				fail(cell, "the lock did not exclude, %.0f times".formatted(violations));
			}
			return show(measurement);
		}
		catch (IOException | RuntimeException ex) {
			return fail(cell, String.valueOf(ex.getMessage()));
		}
	}

	private String fail(Cell cell, String reason) {
		this.results.addFailure(cell.scenario(), cell.peer(), "round %d: %s".formatted(cell.round(), reason));
		return "FAILED: " + reason;
	}

	private static String show(Map<Metric, Double> values) {
		return values.entrySet()
			.stream()
			.limit(2)
			.map((entry) -> "%9s %s  ".formatted(MarkdownReport.number(entry.getValue()), entry.getKey().label()))
			.collect(Collectors.joining());
	}

	// Written after every cell, so that an aborted run has results as well
	private void write() throws IOException {
		Files.writeString(this.settings.out().resolve("results.md"), MarkdownReport.of(this.results, environment()));
		Files.writeString(this.settings.out().resolve("results.json"), JsonReport.of(this.results, environment()));
		for (Scenario scenario : this.results.scenarios()) {
			Files.writeString(this.settings.out().resolve(scenario.id() + ".svg"),
					Plot.of(this.results, scenario).draw());
		}
		if (Scenarios.select("I").stream().anyMatch(this.results.scenarios()::contains)) {
			Files.writeString(this.settings.out().resolve("instances.svg"),
					Plot.byInstances(this.results, Metric.SERVER_CPU).draw());
		}
	}

	private Environment environment() {
		return Environment.current(this.server.version(), this.settings.roundTrip(), this.server.roundTrip(),
				this.flags);
	}

}
