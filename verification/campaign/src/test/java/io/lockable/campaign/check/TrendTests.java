package io.lockable.campaign.check;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Trend}.
 */
class TrendTests {

	@Test
	void numberThatComesAndGoesDoesNotGrow() {
		assertThat(trend(2, 1, 90, 10, 90, 1, 10, 50, 12, 10, 1, 80).grows()).isFalse();
	}

	@Test
	void warmUpIsNoGrowth() {
		assertThat(trend(0, 0, 0, 10, 10, 10, 10, 10, 10, 10, 10, 10).grows()).isFalse();
	}

	@Test
	void numberThatGrowsByMoreThanIsAllowedGrows() {
		Trend atMost = trend(100, 100, 100, 100, 100, 100, 100, 100, 100, 112, 112, 112);
		assertThat(atMost.grows()).isFalse();
		Trend more = trend(100, 100, 100, 100, 100, 100, 100, 100, 100, 113, 113, 113);
		assertThat(more.grows()).isTrue();
		assertThat(more).hasToString("keys: 113 after 100, at most 112 allowed");
	}

	@Test
	void fewSamplesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> trend(1, 2, 3)).withMessageContaining("was 3");
	}

	private static Trend trend(long... samples) {
		List<Long> boxed = LongStream.of(samples).boxed().toList();
		return Trend.of("keys", boxed, 10, 2);
	}

}
