package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the campaign detects deliberately wrong locks by the promise that they
 * break. Other promises may break as well. A fault may miss its moment, so each lock has
 * several seeds.
 */
@Tag("any-jdk")
@Timeout(600)
class WrongLockIntegrationTests {

	private static final int SEEDS = 15;

	@TempDir
	Path directory;

	@ParameterizedTest
	@CsvSource({ "wrong-delete, freeze-holder, OWN_RELEASE EXCLUSION", "wrong-deadline, freeze-holder, EXCLUSION",
			"wrong-tokens, server-restart-empty, TOKEN_ORDER", "wrong-recall, none, PROGRESS",
			"wrong-entry, none, EXCLUSION" })
	void isCaught(String contestant, String fault, String promises) {
		List<Promise> expected = Stream.of(promises.split(" ")).map(Promise::valueOf).toList();
		Set<Promise> broken = new HashSet<>();
		try (Site site = Site.start(contestant, Topology.STANDALONE, this.directory)) {
			Leaks leaks = new Leaks(site);
			for (int seed = 0; seed < SEEDS && Collections.disjoint(broken, expected); seed++) {
				RoundResult result = new Round(site, leaks, Faults.named(fault), seed, seed).run(time(fault));
				result.violations().forEach((violation) -> broken.add(Promise.valueOf(violation.split(":", -1)[0])));
			}
		}
		assertThat(broken).containsAnyElementsOf(expected);
	}

	/**
	 * Without a fault that provokes it, the violation takes some time.
	 */
	private static Duration time(String fault) {
		return fault.equals("none") ? Duration.ofSeconds(4) : Duration.ZERO;
	}

}
