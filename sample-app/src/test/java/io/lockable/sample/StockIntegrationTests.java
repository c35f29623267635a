package io.lockable.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The stock on the Redis server of the lab, over a cable.
 */
class StockIntegrationTests {

	private static RedisProcess server;

	private static Cable cable;

	private static LettuceConnectionFactory connections;

	private final Stock stock = new RedisStock(new StringRedisTemplate(connections));

	@BeforeAll
	static void connect() throws IOException {
		server = new RedisProcess();
		cable = new Cable("127.0.0.1", server.port());
		connections = new LettuceConnectionFactory("127.0.0.1", cable.port());
		connections.afterPropertiesSet();
		connections.start();
	}

	@AfterAll
	static void disconnect() throws IOException {
		connections.destroy();
		cable.close();
		server.stop();
	}

	@BeforeEach
	void fill() {
		this.stock.reset("mug", 5);
	}

	@Test
	void staleTokenNeitherReadsNorWrites() {
		assertThat(this.stock.read("mug", 7)).isEqualTo(5);
		assertThat(this.stock.read("mug", 8)).isEqualTo(5);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.stock.write("mug", 4, 7));
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.stock.read("mug", 7));
		assertThat(this.stock.level("mug")).isEqualTo(new Stock.Level(5, 5, 0, 0, 2, 8));
	}

	@Test
	void repeatedWriteSellsOnce() {
		this.stock.write("mug", 4, 7);
		this.stock.write("mug", 4, 7);
		assertThat(this.stock.level("mug")).isEqualTo(new Stock.Level(5, 4, 1, 0, 0, 7));
	}

	@Test
	void writeWithoutATokenMayOversell() {
		for (int i = 0; i < 6; i++) {
			this.stock.write("mug", 4, Stock.NO_TOKEN);
		}
		assertThat(this.stock.level("mug")).isEqualTo(new Stock.Level(5, 4, 6, 1, 0, 0));
	}

	@Test
	void restartKeepsTheStock() {
		this.stock.write("mug", 4, 7);
		server.restart();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.stock.level("mug").left()).isEqualTo(4));
	}

	@Test
	void cutCableHoldsACommandBackUntilItIsMended() {
		assertThat(this.stock.read("mug", 7)).isEqualTo(5);
		cable.cut();
		CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> this.stock.read("mug", 8),
				new SimpleAsyncTaskExecutor());
		Awaitility.await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(30)).until(() -> !answer.isDone());
		cable.mend();
		assertThat(answer).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(5);
	}

}
