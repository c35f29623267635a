package io.lockable.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Acknowledgements} and {@link Replicas}.
 */
class AcknowledgementsTests {

	@ParameterizedTest
	@CsvSource({ "NONE, 1, 0", "ONE, 1, 1", "ONE, 5, 1", "MAJORITY, 1, 1", "MAJORITY, 2, 2", "MAJORITY, 3, 2",
			"MAJORITY, 4, 3", "MAJORITY, 5, 3", "ALL, 1, 1", "ALL, 5, 5" })
	void neededIsTheShareOfTheReplicas(Replicas from, int replicas, int needed) {
		assertThat(from.of(replicas)).isEqualTo(needed);
	}

	@Test
	void valuesOutOfRangeAreRefused() {
		Acknowledgements valid = Acknowledgements.of(Replicas.ONE);
		assertThatIllegalArgumentException().isThrownBy(() -> valid.withReplicas(-1)).withMessageContaining("-1");
		assertThatIllegalArgumentException().isThrownBy(() -> valid.withTimeout(Duration.ZERO))
			.withMessageContaining("0s");
		assertThatIllegalArgumentException().isThrownBy(() -> valid.withTimeout(Duration.ofHours(2)));
	}

}
