package io.lockable.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;

/**
 * The cells of a run, in order. Every round has all scenarios, and every scenario has all
 * peers one after the other. Changes on the machine thus affect all peers alike.
 *
 * @param cells the cells
 */
record Plan(List<Cell> cells) {

	private static final Duration START_OF_JVM = Duration.ofMillis(1_500);

	static Plan of(Settings settings) {
		List<Cell> cells = new ArrayList<>();
		for (int round = 1; round <= settings.rounds(); round++) {
			for (Scenario scenario : settings.scenarios()) {
				List<PeerKind> peers = new ArrayList<>(settings.peers().stream().filter(scenario::includes).toList());
				// Rotated, so that no peer always goes first
				Collections.rotate(peers, round - 1);
				for (PeerKind peer : peers) {
					Duration time = scenario.expectedTime(settings.pace())
						.plus(START_OF_JVM.multipliedBy(1 + scenario.processes() / 4));
					cells.add(new Cell(round, scenario, peer, time));
				}
			}
		}
		return new Plan(cells);
	}

	Duration expectedTime() {
		return expectedTimeFrom(0);
	}

	Duration expectedTimeFrom(int index) {
		return this.cells.subList(index, this.cells.size())
			.stream()
			.map(Cell::expectedTime)
			.reduce(Duration.ZERO, Duration::plus);
	}

	/**
	 * One peer in one scenario.
	 *
	 * @param round the round, from 1
	 * @param scenario the scenario
	 * @param peer the peer
	 * @param expectedTime its expected duration
	 */
	record Cell(int round, Scenario scenario, PeerKind peer, Duration expectedTime) {
	}

}
