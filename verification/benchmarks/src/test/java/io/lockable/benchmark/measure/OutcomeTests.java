package io.lockable.benchmark.measure;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeTests {

	@Test
	void warmUpCountsForExclusionOnly() {
		Tally warmup = new Tally(0);
		warmup.entered(0, 0);
		warmup.overlap();
		Tally measured = new Tally(0);
		measured.entered(1, 100);
		measured.left(130);
		measured.inTime();
		measured.entered(2, 200);
		measured.left(220);
		Outcome outcome = Tally.sum(List.of(measured), List.of(warmup), 5, Map.of());
		assertThat(outcome.sumInTime()).isEqualTo(1);
		assertThat(outcome.acquisitions()).isEqualTo(2);
		assertThat(outcome.everCounted()).isEqualTo(3);
		assertThat(outcome.overlaps()).isEqualTo(1);
		assertThat(outcome.insideNanos()).isEqualTo(50);
	}

	@Test
	void handOffsOfAllWorkersAreJoined() {
		Tally tally = new Tally(0);
		tally.handOff(1_000, 2_000, false);
		tally.handOff(1_000, 4_000, false);
		Outcome outcome = Tally.sum(List.of(tally, tally), List.of(), 0, Map.of());
		assertThat(HandOffs.join(Stream.of(outcome.times().get(Tally.LOCAL), outcome.times().get(Tally.LOCAL)))
			.getTotalCount()).isEqualTo(8);
		assertThat(outcome.times()).containsOnlyKeys(Tally.LOCAL);
	}

	@Test
	void timesOfAllThreadsAreJoinedByName() {
		Tally first = new Tally(0);
		first.took("poll", 1_000);
		Tally second = new Tally(0);
		second.took("poll", 3_000);
		second.took("burst", 5_000);
		Outcome outcome = Tally.sum(List.of(first, second), List.of(), 0, Map.of());
		assertThat(outcome.times()).containsOnlyKeys("poll", "burst");
		assertThat(HandOffs.join(outcome.times().values().stream()).getTotalCount()).isEqualTo(3);
	}

}
