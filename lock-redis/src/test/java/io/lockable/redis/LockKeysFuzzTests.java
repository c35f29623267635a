package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

import io.lockable.LockKeyException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Random lock names made of the parts of companion names. More seeds:
 * {@code -Dlockable.fuzz.seeds=100}.
 */
class LockKeysFuzzTests {

	private static final String[] PARTS = { "a", "b", "{", "}", "{a}", "{}", ":", "::", "fence", ":fence", ":queue",
			":waiters", ":holders", ":holder-tokens", ":outcome", "{a}:", "{a}::fence", "\n", "\r\n", "*", "?",
			"\u0000", "\u001b", "\u2028", "\ud83d\ude00", " ", "%", "{b}:a}:", LockKeys.tagInSlotOf("a}") };

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Long.getLong("lockable.fuzz.seeds", 2));
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void differentKeysShareNothingAndStayInTheirSlot(long seed) {
		Random random = new Random(seed);
		Map<String, String> users = new HashMap<>();
		int refused = 0;
		for (int i = 0; i < 20_000; i++) {
			String key = key(random);
			try {
				LockKeys.check(key);
			}
			catch (LockKeyException ex) {
				refused++;
				continue;
			}
			int slot = ClusterSlotHashUtil.calculateSlot(key);
			for (byte[][] names : new byte[][][] { LockKeys.of(key), LockKeys.onMaster(key) }) {
				for (byte[] name : names) {
					String text = new String(name, StandardCharsets.UTF_8);
					assertThat(users.putIfAbsent(text, key)).as("seed %d: '%s' of '%s'", seed, text, key)
						.isIn(null, key);
					assertThat(ClusterSlotHashUtil.calculateSlot(name)).as("seed %d: slot of '%s'", seed, text)
						.isEqualTo(slot);
				}
			}
		}
		assertThat(refused).isPositive();
	}

	@ParameterizedTest
	@ValueSource(strings = { "}:", "}", "{", ":", "{a}:", "a", "{}", "::", ":fence" })
	@Timeout(value = 2, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void longKeyIsCheckedAtOnce(String part) {
		String key = "{a}:" + part.repeat(1_000_000 / part.length());
		assertThatCode(() -> LockKeys.check(key + "x:")).doesNotThrowAnyException();
		assertThatCode(() -> LockKeys.check(key + "x:fences")).doesNotThrowAnyException();
	}

	@Test
	void refusalIsShortAndOnOneLine() {
		String companion = "{" + "a\n".repeat(500_000) + "}:fence";
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> LockKeys.check(companion))
			.satisfies((refusal) -> assertThat(refusal.getMessage()).hasSizeLessThan(30_000)
				.endsWith("use a key that does not end with ':fence'")
				.doesNotContain("\n"));
	}

	private static String key(Random random) {
		StringBuilder key = new StringBuilder();
		for (int i = random.nextInt(7); i >= 0; i--) {
			key.append(PARTS[random.nextInt(PARTS.length)]);
		}
		return key.toString().isBlank() ? "a" : key.toString();
	}

}
