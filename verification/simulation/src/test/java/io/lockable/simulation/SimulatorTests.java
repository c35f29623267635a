package io.lockable.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Simulator}.
 */
class SimulatorTests {

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	@Test
	void seedsArePrintedAsOneSummary() {
		assertThat(run("--seeds", "99-100")).isZero();
		assertThat(text()).contains("2 seeds, 0 violations").contains("faults: {");
	}

	@Test
	void traceContainsCommandsAndEndsWithTheHash() {
		assertThat(run("--seed", "7", "--trace")).isZero();
		assertThat(text()).contains("-> redis").containsPattern("seed 7, hash [0-9a-f]{16}, \\d+ leases");
	}

	@Test
	void diagramShowsProcesses() {
		assertThat(run("--seed", "7", "--faults", "none", "--diagram")).isZero();
		assertThat(text()).startsWith("```mermaid").contains("participant redis", " 0 faults");
	}

	@Test
	void violationIsPrintedWithItsFaultsItsScheduleAndTheCommand() {
		Plant plant = Plant.NO_NOTICE_OF_A_LOSS;
		long seed = Objects.requireNonNull(plant.search(1, 1000)).seed();
		int status = plant.with((scripts) -> run("--seeds", seed + "-" + seed));
		assertThat(status).isOne();
		assertThat(text()).containsPattern("seed " + seed + ", hash [0-9a-f]{16}: 4")
			.containsPattern("\\n  [0-5] faults, \\d+ elements of the schedule\\R")
			.contains("./verification/simulation/run --seed " + seed + " --faults ");
	}

	@Test
	void withoutFlagsTheUsageIsPrinted() {
		assertThat(run()).isZero();
		assertThat(text()).contains("--hours");
	}

	private int run(String... arguments) {
		return new Simulator(new PrintStream(this.bytes, true, StandardCharsets.UTF_8)).run(arguments);
	}

	private String text() {
		return this.bytes.toString(StandardCharsets.UTF_8);
	}

}
