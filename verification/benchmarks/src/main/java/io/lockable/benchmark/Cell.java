package io.lockable.benchmark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;

/**
 * One peer in one scenario.
 *
 * @param round the round, from 1
 * @param scenario the scenario
 * @param peer the peer
 */
record Cell(int round, Scenario scenario, PeerKind peer) {

	/**
	 * Returns the cells of a run, in order. Every round has all scenarios, and every
	 * scenario has all peers one after the other. Changes on the machine thus affect all
	 * peers alike.
	 */
	static List<Cell> plan(Settings settings) {
		List<Cell> cells = new ArrayList<>();
		for (int round = 1; round <= settings.rounds(); round++) {
			for (Scenario scenario : settings.scenarios()) {
				List<PeerKind> peers = new ArrayList<>(settings.peers().stream().filter(scenario::includes).toList());
				// Rotated, so that no peer always goes first
				Collections.rotate(peers, round - 1);
				for (PeerKind peer : peers) {
					cells.add(new Cell(round, scenario, peer));
				}
			}
		}
		return cells;
	}

}
