package io.lockable.engine.queue;

import java.util.EnumSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches all interleavings of some instances, which are real {@link KeyMachine}s, and a
 * model of the server. {@link World#verify} and {@link Calls} verify each state, and
 * {@link CalmCheck} verifies the end. For each search, a line of the output reports its
 * size, and whether it was complete.
 *
 * <p>
 * The model assumes that the server executes the commands of an instance in order. It
 * also assumes that all clocks run at the same rate, and that events occur at whole
 * ticks. Fair and shared acquisitions, batches, downgrades and forced releases are not
 * modelled.
 */
class ExplorationTests {

	/**
	 * The maximum number of states in an open-ended search.
	 * {@code -Dexploration.bound=25000000} completes it, and needs some minutes and
	 * gigabytes.
	 */
	private static final int BOUND = Integer.getInteger("exploration.bound", 100_000);

	private static final int COMPLETE = 5_000_000;

	private static final Exploration TWO = Exploration.of(2, 2, COMPLETE);

	private static final Exploration CONFIRMED = TWO.confirming();

	private static final Exploration RETAINED = TWO.retained();

	private static final Exploration THREE = Exploration.of(3, 1, COMPLETE);

	@Test
	void twoInstances() {
		verify(TWO.with(0, 1));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "PAUSE")
	void twoInstancesWithFault(Fault fault) {
		verify(TWO.with(1, 0).with(EnumSet.of(fault)));
	}

	@Test
	void twoInstancesWithPause() {
		verify(TWO.with(1, 0).with(EnumSet.of(Fault.PAUSE)).bounded(BOUND));
	}

	@Test
	void twoInstancesThatSubscribe() {
		verify(TWO.with(1, 0).with(EnumSet.of(Fault.CRASH)).unsubscribed());
	}

	@Test
	void twoInstancesWithConfirmation() {
		verify(CONFIRMED.with(0, 1));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "PAUSE")
	void twoInstancesWithConfirmationAndFault(Fault fault) {
		verify(CONFIRMED.with(1, 0).with(EnumSet.of(fault)));
	}

	@Test
	void twoInstancesWithConfirmationAndPause() {
		verify(CONFIRMED.with(1, 0).with(EnumSet.of(Fault.PAUSE)).bounded(BOUND));
	}

	@Test
	void twoInstancesThatRetain() {
		verify(RETAINED.with(0, 1).bounded(BOUND));
	}

	@ParameterizedTest
	@EnumSource
	void twoInstancesThatRetainWithFault(Fault fault) {
		verify(RETAINED.with(1, 0).with(EnumSet.of(fault)).bounded(BOUND));
	}

	@Test
	void twoInstancesThatRetainAndSubscribe() {
		verify(RETAINED.with(1, 0).with(EnumSet.of(Fault.CRASH)).unsubscribed().bounded(BOUND));
	}

	@Test
	void threeInstances() {
		verify(THREE.with(0, 1));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "PAUSE")
	void threeInstancesWithFault(Fault fault) {
		verify(THREE.with(1, 0).with(EnumSet.of(fault)));
	}

	@Test
	void threeInstancesWithPause() {
		verify(THREE.with(1, 0).with(EnumSet.of(Fault.PAUSE)).bounded(BOUND));
	}

	@ParameterizedTest
	@EnumSource
	void plantedBugIsFound(PlantedBug bug) {
		assertThat(new Explorer(bug.exploration()).explore()).isNotNull().contains(bug.finding());
	}

	private static void verify(Exploration exploration) {
		assertThat(new Explorer(exploration).explore()).as("what the search found").isNull();
	}

}
