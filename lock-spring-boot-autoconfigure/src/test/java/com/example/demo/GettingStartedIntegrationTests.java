package com.example.demo;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.engine.LockEngine;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs two instances of the application of {@code docs/getting-started.md}, each on a
 * port of its own.
 */
@Timeout(600)
class GettingStartedIntegrationTests {

	private static final Pattern PAID = Pattern.compile("order 42: paid from (\\S+) to (\\S+)\n");

	private static final Duration SOON = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	@Test
	void secondPaymentOfAnOrderStartsAfterTheFirst() {
		try (RedisTestServer redis = RedisServers.start();
				ConfigurableApplicationContext here = start(redis);
				ConfigurableApplicationContext there = start(redis)) {
			CompletableFuture<String> first = pay(here);
			await().atMost(SOON).until(() -> first.isDone() || !here.getBean(LockEngine.class).holdings().isEmpty());
			CompletableFuture<String> second = pay(there);
			await().atMost(SOON).until(() -> second.isDone() || !there.getBean(LockEngine.class).waiting().isEmpty());
			assertThat(first).succeedsWithin(SOON).asString().matches(PAID);
			assertThat(second).succeedsWithin(SOON).asString().matches(PAID);
			assertThat(time(second, 1)).isAfterOrEqualTo(time(first, 2));
		}
	}

	private static ConfigurableApplicationContext start(RedisTestServer redis) {
		return SpringApplication.run(DemoApplication.class, "--server.port=0",
				"--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port());
	}

	private CompletableFuture<String> pay(ConfigurableApplicationContext instance) {
		int port = ((WebServerApplicationContext) instance).getWebServer().getPort();
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders/42/payment"))
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return this.client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
	}

	private static Instant time(CompletableFuture<String> response, int group) {
		Matcher paid = PAID.matcher(response.join());
		assertThat(paid.matches()).isTrue();
		return Instant.parse(paid.group(group));
	}

}
