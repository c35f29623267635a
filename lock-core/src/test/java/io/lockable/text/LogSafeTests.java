package io.lockable.text;

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

	@Test
	void directionOfTextIsEscaped() {
		assertThat(LogSafe.of("a\u202eb\u2066c\u200dd")).isEqualTo("a\\u202eb\\u2066c\u200dd");
	}

	@Test
	void longTextLosesItsMiddle() {
		String text = "a".repeat(500_000) + "b".repeat(500_000);
		assertThat(LogSafe.of(text)).hasSizeLessThan(4_100)
			.startsWith("aaa")
			.contains("(996000 characters)")
			.endsWith("bbb");
		assertThat(LogSafe.of("a".repeat(4_000))).hasSize(4_000);
	}

	@Test
	void failureOnOneLineIsItself() {
		Throwable failure = new IllegalStateException("Wrapped", new NullPointerException());
		assertThat(LogSafe.of(failure)).isSameAs(failure);
	}

	@Test
	void failureIsCopiedIfACauseOrASuppressedOneHasALineBreak() {
		IllegalStateException failure = new IllegalStateException("Wrapped", new NumberFormatException("a\nb"));
		failure.addSuppressed(new IllegalArgumentException("c\rd", failure));
		Throwable copy = LogSafe.of(failure);
		assertThat(copy).hasMessage("java.lang.IllegalStateException: Wrapped")
			.hasRootCauseMessage("java.lang.NumberFormatException: a\\u000ab");
		assertThat(copy.getStackTrace()).isEqualTo(failure.getStackTrace());
		assertThat(copy.getSuppressed()).extracting(Throwable::getMessage)
			.containsExactly("java.lang.IllegalArgumentException: c\\u000dd");
	}

}
