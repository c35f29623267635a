package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs each fault of one server once, against all kinds of locks together.
 */
@Tag("any-jdk")
class FaultIntegrationTests {

	@TempDir
	static Path directory;

	private static Site site;

	private static Leaks leaks;

	private static int rounds;

	@BeforeAll
	static void start() {
		site = Site.start("ours-mixed-lettuce", Topology.STANDALONE, directory);
		leaks = new Leaks(site);
	}

	@AfterAll
	static void close() {
		site.close();
	}

	static List<String> faults() {
		return Faults.of(Topology.STANDALONE).stream().map(Fault::name).toList();
	}

	@ParameterizedTest
	@MethodSource("faults")
	void locksKeepTheirPromises(String fault) {
		long seed = fault.hashCode();
		RoundResult result = new Round(site, leaks, Faults.named(fault), seed, rounds++).run(Duration.ZERO);
		assertThat(result.violations()).as("%s%n%s", result.repeat(), String.join("\n", result.evidence())).isEmpty();
		assertThat(result.leaks()).as(result.repeat()).isEmpty();
		assertThat(result.acquisitions()).isGreaterThan(10);
	}

}
