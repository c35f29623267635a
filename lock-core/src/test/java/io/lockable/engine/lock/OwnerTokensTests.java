package io.lockable.engine.lock;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnerTokens}.
 */
class OwnerTokensTests {

	@Test
	void tokenStartsWithTheRequestId() {
		assertThat(new OwnerTokens(() -> "req-1").next()).matches("req-1:[0-9a-f]{16}-1");
	}

	@Test
	void tokenWithoutARequestGetsAnIdOfItsOwn() {
		assertThat(new OwnerTokens(() -> null).next()).matches("[0-9a-f]{1,8}:[0-9a-f]{16}-1");
	}

	@Test
	void sameRequestIdNeverGivesTheSameToken() {
		OwnerTokens one = new OwnerTokens(() -> "req-1");
		OwnerTokens two = new OwnerTokens(() -> "req-1");
		Set<String> tokens = new HashSet<>();
		for (int i = 0; i < 1_000; i++) {
			tokens.add(one.next());
			tokens.add(two.next());
		}
		assertThat(tokens).hasSize(2_000);
	}

}
