package io.lockable.benchmark;

import java.util.List;

import io.lockable.benchmark.peer.PeerKind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CellTests {

	@Test
	void roundsAreInterleavedAndNobodyAlwaysGoesFirst() {
		List<Cell> cells = Cell
			.plan(Settings.parse("--scenarios", "A", "--peers", "redisson,shedlock", "--rounds", "2"));
		assertThat(cells).extracting(Cell::round).containsExactly(1, 1, 1, 2, 2, 2);
		assertThat(cells).extracting(Cell::peer)
			.containsExactly(PeerKind.REDISSON, PeerKind.REDISSON_FAIR, PeerKind.SHEDLOCK, PeerKind.SHEDLOCK,
					PeerKind.REDISSON, PeerKind.REDISSON_FAIR);
	}

	@Test
	void limitsDoNotWaitAndFixedLeasesAreNotRenewed() {
		assertThat(Cell.plan(Settings.parse("--scenarios", "C,D", "--peers", "limit"))).isEmpty();
		assertThat(Cell.plan(Settings.parse("--scenarios", "F", "--peers", "lock4j", "--rounds", "1")))
			.extracting(Cell::peer)
			.containsExactly(PeerKind.LOCK4J_RENEWED);
	}

}
