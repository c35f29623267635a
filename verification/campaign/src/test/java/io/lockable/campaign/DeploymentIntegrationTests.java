package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;

import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs each fault of several servers once: failovers, moved slots, and missing masters of
 * a majority.
 */
@Tag("any-jdk")
class DeploymentIntegrationTests {

	@TempDir
	Path directory;

	// Failovers take seconds
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "STANDALONE", "STEPPED_CLOCK", "POSTGRESQL" })
	@Timeout(300)
	void locksKeepTheirPromises(Topology topology) {
		try (Site site = Site.start("ours-mixed-lettuce", topology, this.directory)) {
			Leaks leaks = new Leaks(site);
			int rounds = 0;
			for (Fault fault : Faults.of(topology)) {
				long seed = fault.name().hashCode();
				RoundResult result = new Round(site, leaks, fault, seed, rounds++).run(Duration.ZERO);
				assertThat(result.violations()).as("%s%n%s", result.repeat(), String.join("\n", result.evidence()))
					.isEmpty();
				assertThat(result.leaks()).as(result.repeat()).isEmpty();
			}
		}
	}

}
