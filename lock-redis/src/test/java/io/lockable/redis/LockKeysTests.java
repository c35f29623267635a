package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.lockable.LockKeyException;
import io.lockable.text.LogSafe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockKeys}.
 */
class LockKeysTests {

	@Test
	void companionsOfAPlainKeyAreTaggedWithTheKey() {
		assertThat(of("a")).containsExactly("a", "{a}:fence", "{a}:queue", "{a}:waiters", "{a}:holders",
				"{a}:holder-tokens");
	}

	@Test
	void companionsOfATaggedKeyKeepItsTag() {
		assertThat(of("{a}")).containsExactly("{a}", "{a}::fence", "{a}::queue", "{a}::waiters", "{a}::holders",
				"{a}::holder-tokens");
	}

	@Test
	void noTwoLocksShareACompanion() {
		List<String> locks = List.of("a", "{a}", "{a}:", ":{a}", "{{a}}", "a}", "{a", "{}a", "{}{a}", "}a", "}{a}",
				LockKeys.tagInSlotOf("a}"), "{" + LockKeys.tagInSlotOf("a}") + "}:a}");
		Set<String> companions = new HashSet<>();
		locks.forEach((lock) -> companions.addAll(of(lock).subList(1, 6)));
		assertThat(companions).hasSize(5 * locks.size());
	}

	@Test
	void companionsAreRefusedAsKeys() {
		List<String> locks = List.of("a", "{a}", "{a}:", ":{a}", "{{a}}", "a}", "{a", "{}a", "{}{a}", "}a", "}{a}",
				"order:{42}", "a\nb{1}");
		for (String lock : locks) {
			LockKeys.check(lock);
			List<String> companions = new ArrayList<>(of(lock).subList(1, 6));
			companions.add(new String(LockKeys.onMaster(lock)[2], StandardCharsets.UTF_8));
			assertThat(companions).allSatisfy((companion) -> assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> LockKeys.check(companion))
				.withMessageContaining(LogSafe.of(companion)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "disLock:{42}:fence", "disLock:fence", "user:42:queue", "user::fence", "{42}:fences",
			":fence", "{}:fence" })
	void keysThatOnlyResembleCompanionsAreAccepted(String key) {
		assertThatCode(() -> LockKeys.check(key)).doesNotThrowAnyException();
	}

	@Test
	void companionsOfAKeyThatNoTagCanStandForAreTaggedWithItsSlot() {
		assertThat(of("a}")).startsWith("a}", "{" + LockKeys.tagInSlotOf("a}") + "}:a}:fence");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "{a}", "order:{42}", "}{a}", "{a", "{{a}}", "order:}", "a{}b", "{}{a}", "}{", "{}" })
	void companionsAreInTheSlotOfTheKey(String key) {
		int slot = ClusterSlotHashUtil.calculateSlot(hashed(key));
		assertThat(of(key)).allSatisfy(
				(companion) -> assertThat(ClusterSlotHashUtil.calculateSlot(hashed(companion))).isEqualTo(slot));
	}

	private static List<String> of(String key) {
		return Arrays.stream(LockKeys.of(key)).map((bytes) -> new String(bytes, StandardCharsets.UTF_8)).toList();
	}

	/**
	 * Returns the hashed part of a key, by the cluster specification.
	 */
	private static String hashed(String key) {
		int open = key.indexOf('{');
		int close = key.indexOf('}', open + 1);
		return (open >= 0 && close > open + 1) ? key.substring(open + 1, close) : key;
	}

}
