package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.History;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
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

	@TempDir
	Path directory;

	@Test
	void retainedLocksKeepTheirPromises() {
		try (Site site = Site.start("ours-retained-lettuce", Topology.STANDALONE, this.directory)) {
			Leaks leaks = new Leaks(site);
			int rounds = 0;
			run(site, leaks, Faults.named("none"), rounds++, Duration.ofSeconds(3));
			assertThat(enteredRetained(History.read(site.histories()))).as("entered a lock that was retained")
				.extracting(Attempt::worker)
				.contains("w0", "w1", "w2");
			for (String fault : FAULTS) {
				run(site, leaks, Faults.named(fault), rounds++, Duration.ZERO);
			}
			assertThat(leaks.afterClose()).isEmpty();
		}
	}

	/**
	 * Returns the attempts that began after the last holder's release and got the next
	 * fencing token of its instance. A grant of the server skips the tokens that the last
	 * one reserved and that nobody used.
	 */
	private static List<Attempt> enteredRetained(History history) {
		List<Attempt> holders = history.attempts()
			.stream()
			.filter((attempt) -> attempt.hold() != null && LockKind.of(attempt.key()).isRetained())
			.sorted(Comparator.comparing(Attempt::key).thenComparing((attempt) -> attempt.held().token()))
			.toList();
		return IntStream.range(1, holders.size())
			.filter((i) -> follows(holders.get(i - 1), holders.get(i)))
			.mapToObj(holders::get)
			.toList();
	}

	private static boolean follows(Attempt last, Attempt next) {
		return next.key().equals(last.key()) && next.worker().equals(last.worker())
				&& next.held().token() == last.held().token() + 1 && next.asked() > last.held().releasedAt();
	}

	private static void run(Site site, Leaks leaks, Fault fault, int round, Duration time) {
		long seed = fault.name().hashCode();
		RoundResult result = new Round(site, leaks, fault, seed, round).run(time);
		assertThat(result.violations()).as("%s%n%s", result.repeat(), String.join("\n", result.evidence())).isEmpty();
		assertThat(result.leaks()).as(result.repeat()).isEmpty();
		assertThat(result.acquisitions()).isGreaterThan(10);
	}

}
