package io.lockable.text;

import java.time.Duration;

import io.lockable.LockOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DurationText}.
 */
class DurationTextTests {

	@ParameterizedTest
	@CsvSource({ "PT0S,0s", "PT0.01S,10ms", "PT0.5S,500ms", "PT1.5S,1500ms", "PT10S,10s", "PT90S,90s", "PT60S,1m",
			"PT5M,5m", "PT1H,1h", "PT36H,36h", "PT24H,1d", "PT8760H,365d", "PT-0.001S,-1ms", "PT-10S,-10s",
			"PT0.009999999S,9.999999ms", "PT0.0005S,0.5ms", "PT-0.0005S,-0.5ms" })
	void durationIsPrintedAsPropertiesTakeIt(Duration duration, String text) {
		assertThat(DurationText.of(duration)).isEqualTo(text);
	}

	@Test
	void longestDurationsArePrinted() {
		assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE + "s");
		assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE, 1_000_000)))
			.isEqualTo("-9223372036854775807999ms");
		assertThat(DurationText.of(LockOptions.MAX_LEASE)).isEqualTo("365d");
	}

}
