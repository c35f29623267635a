package io.lockable.benchmark.report;

import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class ReportTests {

	private static final Scenario PARKED = Scenarios.of("C-1ms");

	private static final Scenario CROWD = Scenarios.of("E-200");

	private final Environment environment = new Environment("now", "JVM", "system", 4, "Redis", 0, 0.1,
			List.of("peer-1"), "");

	private final Results results = new Results();

	@Test
	void ratioIsThatOfTheMedians() {
		throughput(PeerKind.REDISSON, 100, 90, 500);
		throughput(PeerKind.OURS_CONFIRMED, 150, 10, 160);
		assertThat(Targets.judge(this.results, this.environment)).singleElement()
			.returns(1.5, Targets.Verdict::reached)
			.returns(true, Targets.Verdict::met);
	}

	@Test
	void basisMayBeAnotherScenarioOrAPeerAndTheNetwork() {
		Scenario one = Scenarios.of("R1");
		Scenario many = Scenarios.of("R16");
		this.results.add(one, PeerKind.OURS_RETAINED, Map.of(Metric.THROUGHPUT, 100.0));
		this.results.add(many, PeerKind.OURS_RETAINED, Map.of(Metric.THROUGHPUT, 360.0));
		Scenario bursts = Scenarios.of("Ralt-1");
		this.results.add(bursts, PeerKind.OURS_CONFIRMED, Map.of(Metric.BURST_P50, 0.2));
		this.results.add(bursts, PeerKind.OURS_RETAINED, Map.of(Metric.BURST_P50, 0.3));
		assertThat(MarkdownReport.of(this.results, this.environment))
			.contains("| R16 | ours-retained | acq/s | ≥ 0.80 × 4 × R1 | 0.90 | met |")
			.contains("| R16 | ours-retained | acq/s | ≥ 3.20 × R1 | 3.60 | met |")
			.contains(
					"| Ralt-1 | ours-retained | burst p50 ms | ≤ 1 × (ours-confirmed + one way) | 1.20 | **missed** |");
	}

	@Test
	void networkHasTargetsOfItsOwn() {
		Scenario one = Scenarios.of("R1");
		this.results.add(one, PeerKind.LIMIT_LETTUCE, Map.of(Metric.THROUGHPUT, 10.0));
		this.results.add(one, PeerKind.OURS_RETAINED, Map.of(Metric.THROUGHPUT, 5_000.0));
		Environment network = new Environment("now", "JVM", "system", 4, "Redis", 0.5, 0.7, List.of("peer-1"), "");
		assertThat(MarkdownReport.of(this.results, this.environment)).contains("≥ 100 × limit-lettuce | 500 | met |")
			.contains("0.10 ms a round trip (0 asked for)");
		assertThat(MarkdownReport.of(this.results, network)).contains("≥ 800 × limit-lettuce | 500 | **missed** |")
			.contains("0.70 ms a round trip (0.50 asked for)");
	}

	@Test
	void plotHasABarForEachPeer() {
		throughput(PeerKind.REDISSON, 100);
		throughput(PeerKind.OURS_CONFIRMED, 200);
		assertThat(Plot.of(this.results, PARKED).draw()).contains("C-1ms: 8 threads", "acq/s, more is better")
			.contains("redisson</text>\n<rect x=\"150\" y=\"42\" width=\"235.0\"")
			.contains("ours-confirmed</text>\n<rect x=\"150\" y=\"66\" width=\"470.0\"");
	}

	@Test
	void plotOfInstancesHasABarForEachNumber() {
		this.results.add(Scenarios.of("I2"), PeerKind.OURS_CONFIRMED, Map.of(Metric.SERVER_CPU, 100.0));
		this.results.add(Scenarios.of("I128"), PeerKind.OURS_CONFIRMED, Map.of(Metric.SERVER_CPU, 131.0));
		assertThat(Plot.byInstances(this.results, Metric.SERVER_CPU).draw()).contains("I2, ours-confirmed",
				"I128, ours-confirmed", "server CPU µs/acq");
		assertThat(MarkdownReport.of(this.results, this.environment)).contains("≤ 1.30 × I2 | 1.31 | **missed** |");
	}

	@Test
	void bestPeerIsNeitherLimitNorOurs() {
		throughput(PeerKind.LIMIT_LETTUCE, 1000);
		throughput(PeerKind.REDISSON, 100);
		throughput(PeerKind.SHEDLOCK, 80);
		throughput(PeerKind.OURS_CONFIRMED, 200);
		assertThat(this.results.bestPeer(PARKED, Metric.THROUGHPUT)).hasValue(100.0);
	}

	@Test
	void bestPeerIsTheSmallestWhereLessIsBetter() {
		this.results.add(CROWD, PeerKind.REDISSON, Map.of(Metric.DRAIN, 50.0));
		this.results.add(CROWD, PeerKind.SHEDLOCK, Map.of(Metric.DRAIN, 80.0));
		assertThat(this.results.bestPeer(CROWD, Metric.DRAIN)).hasValue(50.0);
	}

	@Test
	void targetWithoutItsPeerIsNotReported() {
		throughput(PeerKind.OURS_CONFIRMED, 200);
		assertThat(MarkdownReport.of(this.results, this.environment)).doesNotContain("best peer |  |");
		assertThat(json().get("targets")).isEmpty();
	}

	@Test
	void markdownTellsTargetsTablesAndFailures() {
		throughput(PeerKind.REDISSON, 100, 120, 110);
		throughput(PeerKind.OURS_CONFIRMED, 220);
		this.results.addFailure(PARKED, PeerKind.SHEDLOCK, "round 1: gave up");
		String report = MarkdownReport.of(this.results, this.environment);
		assertThat(report).contains("| C-1ms | ours-confirmed | acq/s | ≥ 1.15 × best peer | 2 | met |")
			.contains("| redisson | 110 (100–120) |")
			.contains("- C-1ms, shedlock: round 1: gave up");
	}

	@Test
	void jsonHasEveryRound() {
		throughput(PeerKind.REDISSON, 100, 120, 110);
		JsonNode cell = json().get("cells").get(0);
		assertThat(cell.get("peer").asString()).isEqualTo("redisson");
		assertThat(cell.get("rounds")).hasSize(3);
		assertThat(cell.get("summaries").get("THROUGHPUT").get("median").asDouble()).isEqualTo(110);
	}

	@Test
	void onlyFailuresOfOursFailTheRun() {
		this.results.addFailure(PARKED, PeerKind.SHEDLOCK, "gave up");
		assertThat(this.results.hasOurFailure()).isFalse();
		this.results.addFailure(PARKED, PeerKind.OURS_JEDIS, "gave up");
		assertThat(this.results.hasOurFailure()).isTrue();
	}

	@Test
	void numbersHaveAsManyDigitsAsMeanSomething() {
		assertThat(List.of(12345.6, 12.34, 1.234, 0.0123, 2.0)).map(MarkdownReport::number)
			.containsExactly("12,346", "12.3", "1.23", "0.0123", "2");
	}

	private void throughput(PeerKind peer, double... rounds) {
		for (double round : rounds) {
			this.results.add(PARKED, peer, Map.of(Metric.THROUGHPUT, round));
		}
	}

	private JsonNode json() {
		return new JsonMapper().readTree(JsonReport.of(this.results, this.environment));
	}

}
