package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.PostgresDeployment;
import io.lockable.campaign.site.Site;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All kinds of locks on PostgreSQL under faults of their instance, the network or the
 * server.
 */
@Tag("extended")
@Tag("any-jdk")
class PostgresFaultIntegrationTests {

	private static final List<String> FAULTS = List.of("kill-holder", "connections-cut", "replies-lost",
			"database-killed", "database-hanging", "table-locked");

	@TempDir
	Path directory;

	// The server recovers from a crash
	@Test
	@Timeout(300)
	void locksKeepTheirPromises() {
		try (Site site = Site.start("ours-postgresql", Topology.POSTGRESQL, this.directory)) {
			PostgresDeployment database = (PostgresDeployment) site.deployment();
			assertThat(List.of("fsync", "synchronous_commit", "full_page_writes"))
				.allSatisfy((setting) -> assertThat(database.call("SHOW " + setting)).isEqualTo("on"));
			Leaks leaks = new Leaks(site);
			int rounds = 0;
			for (String fault : FAULTS) {
				RoundResult result = new Round(site, leaks, Faults.named(fault), fault.hashCode(), rounds++)
					.run(Duration.ZERO);
				assertThat(result.violations()).as("%s%n%s", result.repeat(), String.join("\n", result.evidence()))
					.isEmpty();
				assertThat(result.leaks()).as(result.repeat()).isEmpty();
				assertThat(result.acquisitions()).isGreaterThan(10);
			}
			assertThat(leaks.afterClose()).isEmpty();
		}
	}

}
