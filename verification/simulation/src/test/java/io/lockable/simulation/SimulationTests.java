package io.lockable.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The search of the build: no seed violates an invariant, and the same search finds each
 * {@link Plant}.
 *
 * <p>
 * {@code -Dlockable.seeds=5000} sets the number of seeds.
 */
@Timeout(3600)
class SimulationTests {

	private static final int SEEDS = Integer.getInteger("lockable.seeds", 1000);

	/**
	 * The number of further seeds of the extended tests.
	 */
	private static final int MORE_SEEDS = 4000;

	/**
	 * Each plant is found by a seed up to this one.
	 */
	private static final int SEEDS_PER_PLANT = 1000;

	@BeforeAll
	static void silence() {
		((Logger) LoggerFactory.getLogger("io.lockable")).setLevel(Level.OFF);
	}

	/**
	 * Seeds that have failed once. Six of them had one server then: 29 now has replicas,
	 * 102 and 12732 have a cluster, and 435, 2163 and 3303 have a database.
	 * @param seed the seed
	 */
	@Tag("any-jdk")
	@ParameterizedTest
	@ValueSource(longs = { 29, 69, 102, 292, 307, 435, 2055, 2163, 2385, 2915, 2926, 3303, 3667, 3886, 4853, 6079, 6574,
			7037, 7337, 7531, 7654, 7816, 11830, 11842, 12732, 18096, 30870, 35341, 62524, 73235 })
	void seedThatHasFailedOnceHoldsAllInvariants(long seed) {
		assertThat(Simulation.run(seed).violation()).isNull();
	}

	@Tag("any-jdk")
	@Test
	void seedsHoldAllInvariants() {
		search(1, SEEDS);
	}

	@Tag("extended")
	@Tag("any-jdk")
	@Test
	void moreSeedsHoldAllInvariants() {
		search(SEEDS + 1, SEEDS + MORE_SEEDS);
	}

	private static void search(long first, long last) {
		Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
		long grants = 0;
		long deadlocks = 0;
		for (long seed = first; seed <= last; seed++) {
			Simulation.Result result = Simulation.run(seed);
			assertThat(result.violation()).as("./verification/simulation/run --seed %d --trace", seed).isNull();
			result.counts().forEach((fault, count) -> counts.merge(fault, count, Integer::sum));
			grants += result.grants();
			deadlocks += result.deadlocks();
		}
		assertThat(grants).as("leases").isGreaterThan(50 * (last - first));
		assertThat(deadlocks).as("reported deadlocks").isPositive();
		assertThat(counts).as("kinds of faults").containsOnlyKeys(Fault.values());
	}

	/**
	 * Another JDK has the same hashes: the first one that tests this build leaves them in
	 * a file, and the next one compares.
	 */
	@Test
	void seedRepeatsAllEventsInAnyOrderOfRunsAndOnAnyJdk() throws IOException {
		List<Long> seeds = new ArrayList<>(LongStream.rangeClosed(1, 50).boxed().toList());
		List<Long> first = hashes(seeds);
		Collections.reverse(seeds);
		List<Long> again = hashes(seeds);
		Collections.reverse(again);
		assertThat(again).isEqualTo(first).doesNotHaveDuplicates();
		Path folder = Files.createDirectories(Path.of("target", "hashes"));
		List<String> texts = first.stream().map((hash) -> "%016x".formatted(hash)).toList();
		Files.write(folder.resolve(System.getProperty("java.specification.version")), texts);
		try (Stream<Path> files = Files.list(folder)) {
			assertThat(files.toList()).allSatisfy((file) -> assertThat(Files.readAllLines(file))
				.as("the hashes of JDK %s in this build; after a change, delete them", file.getFileName())
				.isEqualTo(texts));
		}
	}

	private static List<Long> hashes(List<Long> seeds) {
		return new ArrayList<>(seeds.stream().map((seed) -> Simulation.run(seed).hash()).toList());
	}

	@Tag("any-jdk")
	@ParameterizedTest
	@EnumSource
	void plantedDefectIsFound(Plant plant) throws IOException {
		Simulation.Result found = plant.search(1, SEEDS_PER_PLANT);
		assertThat(found).as("the seed that finds %s", plant).isNotNull();
		write("%s.txt", plant, "seed %d: %s%n".formatted(found.seed(), found.violation()));
	}

	@Tag("any-jdk")
	@Test
	void violationIsShrunkToFewFaultsAndDrawn() throws IOException {
		Plant plant = Plant.NO_WITHDRAWAL;
		Simulation.Result found = Objects.requireNonNull(plant.search(1, SEEDS_PER_PLANT));
		String diagram = plant.with((scripts) -> {
			Set<String> faults = Shrinker.shrink(found, scripts, 1);
			assertThat(faults).hasSizeLessThanOrEqualTo(Shrinker.FEW);
			return SequenceDiagram.of(new Simulation(found.seed(), faults, true, scripts).run());
		});
		assertThat(diagram).startsWith("```mermaid\nsequenceDiagram\n").containsAnyOf("->>redis", "->>database");
		write("%s.md", plant, diagram);
	}

	/**
	 * A run with many faults may fail only with all of them. Then further seeds are
	 * shrunk.
	 * @param plant the planted defect
	 */
	@Tag("extended")
	@Tag("any-jdk")
	@ParameterizedTest
	@EnumSource
	void plantedDefectIsShrunkToFewFaults(Plant plant) throws IOException {
		long next = firstSeed(plant);
		Set<String> left;
		do {
			Simulation.Result found = plant.search(next, SEEDS_PER_PLANT);
			assertThat(found).as("a seed that fails with few faults").isNotNull();
			left = plant.with((scripts) -> Shrinker.shrink(found, scripts, 1));
			next = found.seed() + 1;
		}
		while (Shrinker.faults(left) > Shrinker.FEW);
	}

	// As plantedDefectIsFound has written it, if it ran before.
	private static long firstSeed(Plant plant) throws IOException {
		Path file = Path.of("target", "plants", plant + ".txt");
		return Files.exists(file) ? Long.parseLong(Files.readString(file).replaceFirst("^seed (\\d+):(?s:.*)", "$1"))
				: 1;
	}

	// For docs/simulation.md.
	private static void write(String name, Plant plant, String text) throws IOException {
		Path folder = Files.createDirectories(Path.of("target", "plants"));
		Files.writeString(folder.resolve(name.formatted(plant)), text);
	}

}
