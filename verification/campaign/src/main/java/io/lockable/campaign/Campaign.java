package io.lockable.campaign;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.report.MarkdownReport;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.report.Row;
import io.lockable.campaign.report.SvgReport;
import io.lockable.campaign.site.Site;
import io.lockable.harness.process.ChildJvm;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Runs faults against contestants and writes the results.
 */
public final class Campaign {

	private static final int SHOWN = 5;

	private final Settings settings;

	private final PrintStream console;

	private final List<RoundResult> results = new ArrayList<>();

	private int planned;

	private boolean sound = true;

	private Campaign(Settings settings, PrintStream console) {
		this.settings = settings;
		this.console = console;
	}

	/**
	 * Runs the campaign with the given flags.
	 * @param arguments the flags
	 * @throws IOException if the results cannot be written
	 */
	public static void main(String[] arguments) throws IOException {
		PrintStream console = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		if (List.of(arguments).contains("--help")) {
			console.print(Settings.USAGE);
			System.exit(0);
		}
		Settings settings;
		try {
			if (List.of(arguments).contains("--soak")) {
				System.exit(Soak.run(SoakSettings.parse(arguments), console).isSound() ? 0 : 1);
			}
			settings = Settings.parse(arguments);
		}
		catch (IllegalArgumentException ex) {
			console.println(ex.getMessage());
			console.print(Settings.USAGE);
			System.exit(2);
			return;
		}
		System.exit(new Campaign(settings, console).run() ? 0 : 1);
	}

	private boolean run() throws IOException {
		Files.createDirectories(this.settings.out());
		List<Leg> legs = legs();
		this.planned = legs.stream().mapToInt((leg) -> leg.faults().size()).sum() * this.settings.seeds().size();
		for (Leg leg : legs) {
			run(leg);
		}
		this.console.printf("%n%s%nResults in %s%n", MarkdownReport.of(this.results),
				this.settings.out().toAbsolutePath());
		return this.sound && this.results.stream().allMatch(RoundResult::isSound);
	}

	/**
	 * Returns the legs, which run one after the other.
	 */
	private List<Leg> legs() {
		this.settings.faults()
			.forEach((fault) -> fault.missing()
				.ifPresent((reason) -> this.console.printf("%s is left out: %s%n", fault.name(), reason)));
		List<Leg> legs = new ArrayList<>();
		for (String contestant : this.settings.contestants()) {
			for (Topology topology : Topology.values()) {
				List<Fault> faults = Faults.of(topology).stream().filter(this.settings.faults()::contains).toList();
				if (!Contestants.kinds(contestant, topology).isEmpty() && topology.missing().isEmpty()
						&& !faults.isEmpty()) {
					legs.add(new Leg(contestant, topology, faults));
				}
			}
		}
		return legs;
	}

	private void run(Leg leg) throws IOException {
		try (Site site = Site.start(leg.contestant(), leg.topology(), this.settings.out())) {
			Leaks leaks = new Leaks(site);
			int number = 0;
			for (Fault fault : leg.faults()) {
				for (long seed : this.settings.seeds()) {
					RoundResult result = new Round(site, leaks, fault, seed, number++).run(this.settings.time());
					this.results.add(result);
					show(result);
					write();
				}
			}
			if (Contestants.isOurs(leg.contestant())) {
				leaks.afterClose().forEach((leak) -> {
					this.sound = false;
					this.console.printf("Leak of %s on %s: %s%n", leg.contestant(), leg.topology().label(), leak);
				});
			}
		}
		catch (IllegalStateException | UncheckedIOException | ConditionTimeoutException ex) {
			this.sound = false;
			this.console.printf("The other rounds of %s on %s are left out: %s%n", leg.contestant(),
					leg.topology().label(), ex);
		}
	}

	private void show(RoundResult result) {
		this.console.printf(Locale.ROOT, "[%d/%d] %-26s %-22s seed %d: %d acquired, %d expired, %d refused, %s, %s%n",
				this.results.size(), this.planned, result.fault(), result.contestant(), result.seed(),
				result.acquisitions(), result.expired(), result.refused(),
				RoundResult.recovery(result.recoveryMillis()), result.isSound() ? "sound" : "NOT SOUND");
		if (!result.isSound()) {
			result.leaks().forEach((leak) -> this.console.println("    leak: " + leak));
			result.violations()
				.stream()
				.limit(SHOWN)
				.forEach((violation) -> this.console.println("    violation: " + violation));
			this.console.println("    repeat: " + result.repeat());
		}
	}

	// Written after every round, so that an aborted run has results as well
	private void write() throws IOException {
		Path out = this.settings.out();
		Files.writeString(out.resolve("results.md"), MarkdownReport.of(this.results));
		Files.writeString(out.resolve("results.json"), ChildJvm.JSON.writerWithDefaultPrettyPrinter()
			.writeValueAsString(Map.of("rows", Row.of(this.results), "rounds", this.results)));
		Files.writeString(out.resolve("results.svg"), SvgReport.of(this.results));
	}

	/**
	 * The rounds on one site.
	 *
	 * @param contestant the contestant
	 * @param topology the topology of the servers
	 * @param faults the faults
	 */
	private record Leg(String contestant, Topology topology, List<Fault> faults) {
	}

}
