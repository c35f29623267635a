package io.lockable.postgresql;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class StoredTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "\0", "\\", "\\0", "\\\0", "a\0b\\c\\\\0", "☃🔒" })
	void storedTextHasNoNulAndIsReadBack(String text) {
		assertThat(StoredText.of(text)).doesNotContain("\0");
		assertThat(StoredText.original(StoredText.of(text))).isEqualTo(text);
	}

	@Test
	void shortKeyIsStoredAsItIs() {
		String longest = "k".repeat(StoredText.MAX_KEY);
		assertThat(StoredText.ofKey(longest)).isEqualTo(longest);
	}

	@Test
	void longKeysAreHashedAndStayDifferent() {
		String key = "k".repeat(StoredText.MAX_KEY + 1);
		List<String> keys = List.of(key, key + "k", StoredText.ofKey(key), StoredText.ofKey(key + "k"));
		Set<String> stored = new HashSet<>(keys.stream().map(StoredText::ofKey).toList());
		assertThat(stored).hasSize(keys.size()).allMatch(StoredText::isHash).allMatch((name) -> name.length() == 71);
	}

}
