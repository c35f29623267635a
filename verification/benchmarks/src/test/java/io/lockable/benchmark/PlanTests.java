package io.lockable.benchmark;

import io.lockable.benchmark.Plan.Cell;
import io.lockable.benchmark.peer.PeerKind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PlanTests {

	@Test
	void roundsAreInterleavedAndNobodyAlwaysGoesFirst() {
		Plan plan = Plan.of(Settings.parse("--scenarios", "A", "--peers", "redisson,shedlock", "--rounds", "2"));
		assertThat(plan.cells()).extracting(Cell::round).containsExactly(1, 1, 1, 2, 2, 2);
		assertThat(plan.cells()).extracting(Cell::peer)
			.containsExactly(PeerKind.REDISSON, PeerKind.REDISSON_FAIR, PeerKind.SHEDLOCK, PeerKind.SHEDLOCK,
					PeerKind.REDISSON, PeerKind.REDISSON_FAIR);
	}

	@Test
	void limitsDoNotWaitAndFixedLeasesAreNotRenewed() {
		assertThat(Plan.of(Settings.parse("--scenarios", "C", "--peers", "limit")).cells()).isEmpty();
		assertThat(Plan.of(Settings.parse("--scenarios", "F", "--peers", "lock4j", "--rounds", "1")).cells())
			.extracting(Cell::peer)
			.containsExactly(PeerKind.LOCK4J_RENEWED);
	}

	@Test
	void expectedTimeIsTheSumOfWhatIsLeft() {
		Plan plan = Plan.of(Settings.parse("--scenarios", "A,D", "--peers", "redisson"));
		assertThat(plan.expectedTimeFrom(1).plus(plan.cells().get(0).expectedTime())).isEqualTo(plan.expectedTime());
		assertThat(plan.expectedTimeFrom(plan.cells().size())).isZero();
	}

}
