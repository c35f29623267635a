package io.lockable.benchmark.measure;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.HdrHistogram.Histogram;
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
		assertThat(overlaps(this.first) + overlaps(this.second)).isZero();
		assertThat(this.witness.acquisitions()).isEqualTo(2);
	}

	@Test
	void twoHoldersAtOnceAreSeenAcrossProcesses() {
		this.witness.enter(0, FIRST, this.first);
		this.otherProcess.enter(0, ELSEWHERE, this.second);
		this.witness.exit(0, FIRST, this.first);
		this.otherProcess.exit(0, ELSEWHERE, this.second);
		assertThat(overlaps(this.first)).isPositive();
		assertThat(overlaps(this.second)).isPositive();
		assertThat(this.witness.acquisitions()).as("one increment is lost").isEqualTo(1);
	}

	@Test
	void locksDoNotDisturbEachOther() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.enter(1, SECOND, this.second);
		assertThat(overlaps(this.first) + overlaps(this.second)).isZero();
	}

	@Test
	void handOffsAreTimedByWhereTheyCameFrom() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		this.witness.enter(0, SECOND, this.second);
		this.witness.exit(0, SECOND, this.second);
		this.otherProcess.enter(0, ELSEWHERE, this.second);
		assertThat(handOffs(this.second, Tally.LOCAL).getTotalCount()).isEqualTo(1);
		assertThat(handOffs(this.second, Tally.REMOTE).getTotalCount()).isEqualTo(1);
		assertThat(handOffs(this.second, Tally.LOCAL).getMaxValue()).isLessThan(TimeUnit.MINUTES.toNanos(1));
	}

	@Test
	void takingTheLockAgainIsNoHandOff() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		this.witness.enter(0, FIRST, this.first);
		assertThat(handOffs(this.first, Tally.LOCAL).getTotalCount()).isZero();
	}

	@Test
	void handOffFromAnEarlierPhaseDoesNotCount() {
		this.witness.enter(0, FIRST, this.first);
		this.witness.exit(0, FIRST, this.first);
		Tally later = new Tally(System.nanoTime());
		this.witness.enter(0, SECOND, later);
		assertThat(handOffs(later, Tally.LOCAL).getTotalCount()).isZero();
	}

	private static long overlaps(Tally tally) {
		return Tally.sum(List.of(tally), List.of(), 0, Map.of()).overlaps();
	}

	private static Histogram handOffs(Tally tally, String from) {
		Map<String, HandOffs> times = Tally.sum(List.of(tally), List.of(), 0, Map.of()).times();
		return HandOffs.join(Stream.ofNullable(times.get(from)));
	}

}
