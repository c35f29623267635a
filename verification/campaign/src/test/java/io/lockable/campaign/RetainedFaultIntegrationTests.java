package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.History;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
import io.lockable.campaign.site.Topology;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Retained locks under faults of their instance, its subscription or the lock itself.
 */
@Tag("any-jdk")
class RetainedFaultIntegrationTests {

	private static final List<String> FAULTS = List.of("kill-holder", "freeze-holder", "shutdown-waiting",
			"subscriptions-killed", "messages-held", "half-open", "server-restart-empty", "foreign-del");

	/**
	 * Shorter than a command.
	 */
	private static final long ENTRY_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	@TempDir
	Path directory;

	@Test
	void retainedLocksKeepTheirPromises() {
		try (Site site = Site.start("ours-retained-lettuce", Topology.STANDALONE, this.directory)) {
			Leaks leaks = new Leaks(site);
			int rounds = 0;
			run(site, leaks, Faults.named("none"), rounds++, Duration.ofSeconds(3));
			assertThat(History.read(site.histories()).attempts()).as("entered a lock that was retained")
				.filteredOn((attempt) -> attempt.hold() != null)
				.filteredOn((attempt) -> attempt.ended() - attempt.asked() < ENTRY_NANOS)
				.extracting(Attempt::worker)
				.hasSizeGreaterThan(10)
				.contains("w0", "w1", "w2");
			for (String fault : FAULTS) {
				run(site, leaks, Faults.named(fault), rounds++, Duration.ZERO);
			}
			assertThat(leaks.afterClose()).isEmpty();
		}
	}

	private static void run(Site site, Leaks leaks, Fault fault, int round, Duration time) {
		long seed = fault.name().hashCode();
		RoundResult result = new Round(site, leaks, fault, seed, round).run(time);
		assertThat(result.violations()).as("%s%n%s", result.repeat(), String.join("\n", result.evidence())).isEmpty();
		assertThat(result.leaks()).as(result.repeat()).isEmpty();
		assertThat(result.acquisitions()).isGreaterThan(10);
	}

}
