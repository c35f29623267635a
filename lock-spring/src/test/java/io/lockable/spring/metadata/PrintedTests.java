package io.lockable.spring.metadata;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Printed}.
 */
class PrintedTests {

	@Test
	void textOnOneLineIsItself() {
		String text = "disLock:größe 42 \u2603 \ud83d\ude00";
		assertThat(Printed.of(text)).isSameAs(text);
	}

	@Test
	void whatBreaksALineIsEscaped() {
		assertThat(Printed.of("a\r\nb\tc\u0000\u001b[31m\u0085\u2028\u2029d\u007f"))
			.isEqualTo("a\\u000d\\u000ab\\u0009c\\u0000\\u001b[31m\\u0085\\u2028\\u2029d\\u007f");
	}

}
