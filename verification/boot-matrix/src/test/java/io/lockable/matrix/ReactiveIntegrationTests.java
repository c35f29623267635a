package io.lockable.matrix;

import java.time.Duration;

import io.lockable.matrix.ReactiveBeans.Stream;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for methods that return publishers.
 */
@With({ Part.REDIS, Part.REACTOR })
class ReactiveIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(10);

	@Test
	void publishersHoldTheLockUntilTheyAreDone() {
		Stream stream = Instance.one().bean(Stream.class);
		assertThat(stream.one("mono", Mono.fromCallable(() -> exists("disLock:mono"))).block(LONG)).contains("1");
		assertThat(stream.many("flux", Flux.just("a", "b").map((each) -> each + exists("disLock:flux")))
			.collectList()
			.block(LONG)).hasSize(2).allMatch((each) -> each.contains("1"));
		await().until(() -> !exists("disLock:flux").contains("1"));
	}

	private static String exists(String key) {
		return RedisServers.shared().call("EXISTS", key);
	}

}
