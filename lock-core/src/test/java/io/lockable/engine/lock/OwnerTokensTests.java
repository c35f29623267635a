package io.lockable.engine.lock;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.lockable.LockOptions;
import io.lockable.engine.runtime.SystemRuntime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnerTokens}.
 */
class OwnerTokensTests {

	private static final SystemRuntime RUNTIME = new SystemRuntime();

	private static final LockOptions OPTIONS = LockOptions.defaults();

	@Test
	void tokenStartsWithTheRequestId() {
		assertThat(new OwnerTokens(() -> null, "0a1b", null, RUNTIME).next("req-1", OPTIONS)).isEqualTo("req-1:0a1b-1");
	}

	@Test
	void tokenWithoutARequestGetsAnIdOfItsOwn() {
		assertThat(new OwnerTokens(() -> "req-1", "0a1b", null, RUNTIME).requestId()).isEqualTo("req-1");
		assertThat(new OwnerTokens(() -> null, "0a1b", null, RUNTIME).requestId()).matches("[0-9a-f]{1,8}");
	}

	@Test
	void onlyTheTokenOfARetainedLockEndsWithTheAddress() {
		OwnerTokens tokens = new OwnerTokens(() -> null, "0a1b", "0abc", RUNTIME);
		assertThat(tokens.next("req-1", OPTIONS)).isEqualTo("req-1:0a1b-1");
		assertThat(tokens.next("req-1", OPTIONS.withRetain(Duration.ofSeconds(1)))).isEqualTo("req-1:0a1b-2@0abc");
	}

	@Test
	void sameRequestIdNeverGivesTheSameToken() {
		OwnerTokens one = new OwnerTokens(() -> null, "0a1b", null, RUNTIME);
		OwnerTokens two = new OwnerTokens(() -> null, "0a1c", null, RUNTIME);
		Set<String> tokens = new HashSet<>();
		for (int i = 0; i < 1_000; i++) {
			tokens.add(one.next("req-1", OPTIONS));
			tokens.add(two.next("req-1", OPTIONS));
		}
		assertThat(tokens).hasSize(2_000);
	}

}
