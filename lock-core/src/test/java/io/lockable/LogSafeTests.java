package io.lockable;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LogSafe}.
 */
class LogSafeTests {

	@Test
	void textOnOneLineIsItself() {
		String text = "disLock:größe 42 \u2603 \ud83d\ude00";
		assertThat(LogSafe.of(text)).isSameAs(text);
	}

	@Test
	void whatBreaksALineIsEscaped() {
		assertThat(LogSafe.of("a\r\nb\tc\u0000\u001b[31m\u0085\u2028\u2029d\u007f"))
			.isEqualTo("a\\u000d\\u000ab\\u0009c\\u0000\\u001b[31m\\u0085\\u2028\\u2029d\\u007f");
	}

}
