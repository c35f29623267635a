package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * All scenarios.
 */
public final class Scenarios {

	/**
	 * All scenarios, in the order of the report.
	 */
	public static final List<Scenario> ALL = List.of(LoopScenario.uncontended("A", "one thread, one key", 1),
			LoopScenario.uncontended("B", "16 threads, a key each", 16),
			LoopScenario.contended("C-empty", 1, 8, Duration.ZERO),
			LoopScenario.contended("C-1ms", 1, 8, Duration.ofMillis(1)),
			LoopScenario.contended("D", 4, 4, Duration.ofMillis(1)),
			LoopScenario.contended("D4", 4, 1, Duration.ofMillis(1)),
			LoopScenario.contended("D8", 8, 1, Duration.ofMillis(1)), new CrowdScenario("E-200", 200),
			new CrowdScenario("E-1000", 1_000), new RenewalScenario(), LoopScenario.scaling(1), LoopScenario.scaling(2),
			LoopScenario.scaling(4), LoopScenario.scaling(8), LoopScenario.retained("R1", "one thread, one key", 1),
			LoopScenario.retained("R16", "16 threads, a key each", 16), new AlternatingScenario(1),
			new AlternatingScenario(10), new AlternatingScenario(1_000), new PollingScenario(),
			LoopScenario.instances(2, 1), LoopScenario.instances(8, 1), LoopScenario.instances(32, 1),
			LoopScenario.instances(128, 1), LoopScenario.instances(32, 10_000), new ColdScenario());

	private Scenarios() {
	}

	/**
	 * Finds a scenario.
	 * @param id its name
	 * @return the scenario
	 */
	public static Scenario of(String id) {
		return select(id).stream()
			.filter((scenario) -> scenario.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("'scenario' must be known, was " + id));
	}

	/**
	 * Finds the scenarios of a name on the command line.
	 * @param name a name, or the letter with which several names start
	 * @return the scenarios; empty for an unknown name
	 */
	public static List<Scenario> select(String name) {
		String wanted = name.toUpperCase(Locale.ROOT);
		return ALL.stream().filter((scenario) -> {
			String id = scenario.id().toUpperCase(Locale.ROOT);
			return id.equals(wanted) || (wanted.length() == 1 && id.startsWith(wanted));
		}).toList();
	}

}
