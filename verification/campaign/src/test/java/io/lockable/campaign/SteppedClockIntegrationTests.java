package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;

import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Runs each fault of the server's wall clock once. Without a C compiler, the test is
 * aborted with a message.
 */
@Tag("any-jdk")
class SteppedClockIntegrationTests {

	@TempDir
	Path directory;

	@Test
	void locksKeepTheirPromises() {
		String missing = Topology.STEPPED_CLOCK.missing().orElse("");
		assumeTrue(missing.isEmpty(), missing);
		try (Site site = Site.start("ours-mixed-lettuce", Topology.STEPPED_CLOCK, this.directory)) {
			Leaks leaks = new Leaks(site);
			int rounds = 0;
			for (Fault fault : Faults.of(Topology.STEPPED_CLOCK)) {
				long seed = fault.name().hashCode();
				RoundResult result = new Round(site, leaks, fault, seed, rounds++).run(Duration.ZERO);
				assertThat(result.violations()).as("%s%n%s", result.repeat(), String.join("\n", result.evidence()))
					.isEmpty();
				assertThat(result.leaks()).as(result.repeat()).isEmpty();
			}
			assertThat(rounds).isEqualTo(2);
		}
	}

}
