package io.lockable.benchmark.scenario;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ThroughputTests {

	@Test
	void ratioIsThatOfTheLuckiestToTheUnluckiest() {
		assertThat(Throughput.ratio(List.of(30L, 10L, 20L))).isEqualTo(3);
		assertThat(Throughput.ratio(List.of(30L, 0L))).as("an unluckiest without acquisitions").isEqualTo(30);
	}

}
