package io.lockable.campaign;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockable.campaign.check.Trend;
import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Pauses;
import io.lockable.campaign.report.SoakResult;
import io.lockable.campaign.report.SoakSample;
import io.lockable.campaign.site.RedisDeployment;
import io.lockable.campaign.site.Site;
import io.lockable.campaign.worker.Report;
import io.lockable.harness.process.ChildJvm;
import io.lockable.test.redis.RedisTestServer;

/**
 * A soak: workers lock many keys for a long time without a fault. Nothing may grow
 * meanwhile, and nothing may remain afterwards.
 *
 * @param settings the settings
 * @param site the workers
 * @param server the server
 * @param samples the samples so far
 */
record Soak(SoakSettings settings, Site site, RedisTestServer server, List<SoakSample> samples) {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/**
	 * Runs a soak and writes its results.
	 * @param settings the settings
	 * @param console the output for progress
	 * @return the result
	 * @throws IOException if the results cannot be written
	 */
	static SoakResult run(SoakSettings settings, PrintStream console) throws IOException {
		Path out = Files.createDirectories(settings.out());
		try (Site site = Site.start(settings.workers(), Topology.STANDALONE, out.resolve("soak"))) {
			Soak soak = new Soak(settings, site, ((RedisDeployment) site.deployment()).masters().get(0),
					new ArrayList<>());
			soak.start();
			soak.sample(console);
			SoakResult result = soak.result();
			Files.writeString(out.resolve("soak.md"), result.markdown());
			Files.writeString(out.resolve("soak.json"),
					ChildJvm.JSON.writerWithDefaultPrettyPrinter().writeValueAsString(result));
			console.printf("%n%s%nResults in %s%n", result.markdown(), out.toAbsolutePath());
			return result;
		}
	}

	private void start() {
		int processes = this.settings.processes();
		for (int i = 0; i < processes; i++) {
			this.site.workers()
				.get(i)
				.tell("soak %d %d %d %d".formatted(this.settings.keys(), this.settings.seed() + 1000L * i, i,
						processes));
		}
	}

	private void sample(PrintStream console) {
		long start = System.nanoTime();
		Duration next = Duration.ZERO;
		while (next.compareTo(this.settings.time()) < 0) {
			next = next.plus(this.settings.interval());
			Pauses.millis(Math.max(0, next.minusNanos(System.nanoTime() - start).toMillis()));
			List<Report> reports = reports("sample");
			SoakSample sample = new SoakSample((System.nanoTime() - start) / 1e9, reports,
					Long.parseLong(this.server.call("DBSIZE")), this.server.call("CLIENT", "LIST").lines().count(),
					Long.parseLong(this.server.call("INFO", "memory").replaceAll("(?s).*used_memory:(\\d+).*", "$1")));
			this.samples.add(sample);
			console.printf(Locale.ROOT, "%5.0f s: %,d acquired, heap %s MB, threads %s, descriptors %s, %,d keys%n",
					sample.seconds(), reports.stream().mapToLong(Report::operations).sum(),
					join(reports, (report) -> report.heap() / 1_000_000), join(reports, Report::threads),
					join(reports, Report::descriptors), sample.keys());
		}
	}

	private static String join(List<Report> reports, ToLongFunction<Report> number) {
		return reports.stream()
			.map((report) -> Long.toString(number.applyAsLong(report)))
			.collect(Collectors.joining("/"));
	}

	private List<Report> reports(String command) {
		this.site.workers().forEach((worker) -> worker.tell(command));
		return this.site.workers()
			.stream()
			.map((worker) -> worker.answer(Report.class, TIMEOUT)
				.orElseThrow(() -> new IllegalStateException("Worker " + worker.name() + " does not answer")))
			.toList();
	}

	private SoakResult result() {
		List<Trend> trends = trends();
		List<String> remains = remains(reports("stop"));
		return new SoakResult(this.site.contestants(), this.settings.keys(), this.samples, trends, remains,
				this.settings.repeat());
	}

	/**
	 * Compares samples. The tolerances cover transient objects: lazily loaded classes,
	 * pools of threads and connections, and queues and counters of single locks.
	 */
	private List<Trend> trends() {
		List<Trend> trends = new ArrayList<>();
		for (int i = 0; i < this.site.workers().size(); i++) {
			int index = i;
			trends.add(trend("bytes of heap of w" + i, (sample) -> sample.workers().get(index).heap(), 10, 2_000_000));
			trends.add(trend("descriptors of w" + i, (sample) -> sample.workers().get(index).descriptors(), 0, 8));
			trends.add(trend("threads of w" + i, (sample) -> sample.workers().get(index).threads(), 0, 4));
		}
		trends.add(trend("keys of Redis", SoakSample::keys, 5, 50));
		return trends;
	}

	private Trend trend(String name, ToLongFunction<SoakSample> number, int percent, long slack) {
		return Trend.of(name, this.samples.stream().mapToLong(number).boxed().toList(), percent, slack);
	}

	private List<String> remains(List<Report> reports) {
		List<String> remains = new ArrayList<>();
		if (this.samples.stream().flatMap((sample) -> sample.workers().stream()).allMatch((r) -> r.operations() == 0)) {
			remains.add("no lock was ever acquired");
		}
		for (int i = 0; i < reports.size(); i++) {
			if (reports.get(i).entries() > 0) {
				remains.add("%d entries in the library of w%d".formatted(reports.get(i).entries(), i));
			}
		}
		Set<String> locks = locks();
		remains.addAll(
				left("locked", () -> RedisDeployment.keys(this.server, "*").stream().filter(locks::contains).toList()));
		remains.addAll(describe("has no end", RedisDeployment.lasting(this.server, "*")));
		this.site.workers().forEach((worker) -> worker.tell("close"));
		remains.addAll(left("is connected",
				() -> this.server.call("CLIENT", "LIST")
					.lines()
					.filter((client) -> client.contains(" user=" + Address.USER + " "))
					.toList()));
		return remains;
	}

	/**
	 * Waits until nothing is left, within a limit, because leases and connections end
	 * gradually.
	 */
	private static List<String> left(String what, Supplier<List<String>> look) {
		return describe(what, Pauses.untilNone(Leaks.LONGEST_CLEANUP, look));
	}

	private static List<String> describe(String what, List<String> left) {
		List<String> shown = left.stream().limit(3).toList();
		return left.isEmpty() ? List.of() : List.of("%d times %s: %s".formatted(left.size(), what, shown));
	}

	private Set<String> locks() {
		return this.site.contestants().stream().distinct().flatMap((contestant) -> {
			List<LockKind> kinds = Contestants.kinds(contestant, Topology.STANDALONE);
			return IntStream.range(0, this.settings.keys())
				.mapToObj((number) -> LockKind.soaked(kinds, number))
				.flatMap((key) -> Contestants.storedKeys(contestant, key).stream());
		}).collect(Collectors.toSet());
	}

}
