package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.lockable.Lease;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Engines that close while their server is down.
 */
@Tag("extended")
class InboxShutdownIntegrationTests {

	private static final Duration CLOSE = Duration.ofSeconds(1);

	@ParameterizedTest
	@EnumSource
	void closeWhileTheServerIsDownIsQuickAndLeavesNoThread(RedisClients client) throws Exception {
		Set<Thread> before = threads();
		try (RedisTestServer server = RedisServers.start(); Hiccups hiccups = Hiccups.start()) {
			Instance one = Instance.start(client, server);
			Instance two = Instance.start(client, server);
			try {
				waitForEachOther(one, two);
				server.kill();
				await().during(Duration.ofMillis(300)).until(() -> true);
			}
			finally {
				for (Instance instance : List.of(one, two)) {
					long since = System.nanoTime();
					instance.close();
					assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(hiccups.allow(CLOSE));
				}
			}
			await().atMost(Duration.ofSeconds(10)).until(() -> before.containsAll(threads()));
		}
	}

	private static void waitForEachOther(Instance one, Instance two) throws Exception {
		for (int i = 0; i < 2; i++) {
			Instance holder = (i == 0) ? one : two;
			Instance waiter = (i == 0) ? two : one;
			Lease lease = holder.get("a").tryAcquire().orElseThrow();
			var waiting = waiter.get("a", Instance.waiting(Duration.ofSeconds(30))).acquireAsync();
			lease.release();
			waiting.get().release();
		}
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lockable-"))
			.collect(Collectors.toSet());
	}

}
