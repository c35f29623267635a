package io.lockable.engine.machine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the interleavings of some instances, which are real {@link KeyMachine}s, and a
 * model of the server. {@link World#verify} and {@link Calls} verify each state, and
 * {@link CalmCheck} verifies the end. For each search, a line of the output reports its
 * size, and whether it visited all states or stopped at its bound.
 *
 * <p>
 * {@code -Dexploration.bound=25000000} is the bound of all {@linkplain Search#isBounded
 * bounded} searches. A state takes about 100 bytes.
 *
 * <p>
 * The model assumes that the server executes the commands of an instance in order. It
 * also assumes that all clocks run at the same rate, and that events occur at whole
 * ticks. Fair and shared acquisitions, batches, downgrades and forced releases are not
 * modelled.
 */
@Tag("any-jdk")
class ExplorationTests {

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_NONE, names = "LONG_.*")
	void searchFindsNothing(Search search) {
		verify(search);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ANY, names = "LONG_.*")
	@Tag("extended")
	void longSearchFindsNothing(Search search) {
		verify(search);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_NONE, names = "LONG_.*")
	void plantedBugIsFound(PlantedBug bug) {
		find(bug);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ANY, names = "LONG_.*")
	@Tag("extended")
	void plantedBugIsFoundInALongSearch(PlantedBug bug) {
		find(bug);
	}

	private static void find(PlantedBug bug) {
		assertThat(new Explorer(bug.exploration()).explore()).isNotNull().contains(bug.finding());
	}

	private static void verify(Search search) {
		Explorer explorer = new Explorer(search.exploration());
		assertThat(explorer.explore()).as("what the search found").isNull();
		assertThat(explorer.isComplete() || search.isBounded()).as("the search has visited all states").isTrue();
	}

}
