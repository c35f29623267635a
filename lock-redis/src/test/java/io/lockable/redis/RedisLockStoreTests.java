package io.lockable.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedisLockStore} that need no server.
 */
class RedisLockStoreTests {

	@Test
	void mockedTemplateIsRefused() {
		StringRedisTemplate template = mock(StringRedisTemplate.class);
		String message = "'template' must have a connection factory, but has none, which is typical of a mock";
		assertThatNullPointerException().isThrownBy(() -> new RedisLockStore(template)).withMessage(message);
		assertThatNullPointerException()
			.isThrownBy(() -> RedlockLockStore.connect(template, List.of("a:1", "b:1", "c:1"), Duration.ofMillis(200)))
			.withMessage(message);
	}

}
