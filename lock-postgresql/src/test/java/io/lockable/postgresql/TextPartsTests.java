package io.lockable.postgresql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TextPartsTests {

	private final TextParts parts = new TextParts();

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "+ a", "a\0b\\c", "one\ntwo", "\u2603", "\uD83D\uDD12" })
	void messageArrives(String text) {
		for (int count : new int[] { 1, 2_499, 2_500, 2_501, 10_000 }) {
			String message = text.repeat(count);
			String[] sent = TextParts.of(message);
			assertThat(sent).doesNotHaveDuplicates()
				.allSatisfy((part) -> assertThat(part.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(8_000));
			List<String> received = Arrays.stream(sent).map(this.parts::add).filter(Objects::nonNull).toList();
			assertThat(received).containsExactly(message);
		}
	}

	@Test
	void messageWithALostPartIsDropped() {
		String[] sent = TextParts.of("x".repeat(6_000));
		assertThat(sent).hasSize(3);
		assertThat(this.parts.add(sent[0])).isNull();
		assertThat(this.parts.add(sent[2])).isNull();
		assertThat(this.parts.add(sent[1])).isNull();
		assertThat(this.parts.add(TextParts.of("next")[0])).isEqualTo("next");
	}

}
