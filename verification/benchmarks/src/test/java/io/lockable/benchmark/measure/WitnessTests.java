package io.lockable.benchmark.measure;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class WitnessTests {

	private static final long FIRST = Witness.holder(0, 0);

	private static final long SECOND = Witness.holder(0, 1);

	private static final long ELSEWHERE = Witness.holder(1, 0);

	private final Tally first = new Tally(System.nanoTime());

	private final Tally second = new Tally(System.nanoTime());

	private Witness witness;

	private Witness otherProcess;

	@BeforeEach
	void map(@TempDir Path folder) {
		Path file = folder.resolve("witness");
		this.witness = Witness.map(file, 2);
		this.otherProcess = Witness.map(file, 2);
	}

	@Test
	void holdersInTurnAreNoOverlap() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		this.otherProcess.enter(0, ELSEWHERE, this.second);
		this.otherProcess.exit(0, ELSEWHERE, this.second);
		assertThat(this.first.overlaps() + this.second.overlaps()).isZero();
		assertThat(this.witness.acquisitions()).isEqualTo(2);
	}

	@Test
	void twoHoldersAtOnceAreSeenAcrossProcesses() {
		this.witness.enter(0, FIRST, this.first);
		this.otherProcess.enter(0, ELSEWHERE, this.second);
		this.witness.exit(0, FIRST, this.first);
		this.otherProcess.exit(0, ELSEWHERE, this.second);
		assertThat(this.first.overlaps()).isPositive();
		assertThat(this.second.overlaps()).isPositive();
		assertThat(this.witness.acquisitions()).as("one increment is lost").isEqualTo(1);
	}

	@Test
	void locksDoNotDisturbEachOther() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.enter(1, SECOND, this.second);
		assertThat(this.first.overlaps() + this.second.overlaps()).isZero();
	}

	@Test
	void handOffsAreTimedByWhereTheyCameFrom() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		this.witness.enter(0, SECOND, this.second);
		this.witness.exit(0, SECOND, this.second);
		this.otherProcess.enter(0, ELSEWHERE, this.second);
		assertThat(this.second.localHandOffs().getTotalCount()).isEqualTo(1);
		assertThat(this.second.remoteHandOffs().getTotalCount()).isEqualTo(1);
		assertThat(this.second.localHandOffs().getMaxValue()).isLessThan(TimeUnit.MINUTES.toNanos(1));
	}

	@Test
	void takingTheLockAgainIsNoHandOff() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		this.witness.enter(0, FIRST, this.first);
		assertThat(this.first.localHandOffs().getTotalCount()).isZero();
	}

	@Test
	void handOffFromAnEarlierPhaseDoesNotCount() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		Tally later = new Tally(System.nanoTime());
		this.witness.enter(0, SECOND, later);
		assertThat(later.localHandOffs().getTotalCount()).isZero();
	}

}
