package io.lockable.benchmark.measure;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SummaryTests {

	@Test
	void medianOfOddNumberIsTheMiddle() {
		assertThat(Summary.of(List.of(9.0, 1.0, 2.0))).isEqualTo(new Summary(2, 1, 9));
	}

	@Test
	void medianOfEvenNumberIsBetweenTheMiddles() {
		assertThat(Summary.of(List.of(4.0, 1.0, 2.0, 9.0))).isEqualTo(new Summary(3, 1, 9));
	}

	@Test
	void nothingHasNoMedian() {
		assertThatIllegalArgumentException().isThrownBy(() -> Summary.of(List.of()));
	}

}
