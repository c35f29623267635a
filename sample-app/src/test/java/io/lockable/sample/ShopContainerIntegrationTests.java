package io.lockable.sample;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lockable.DistributedLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.core.StringRedisTemplate;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop on a Redis server in a container, which it knows by a service connection.
 */
@Tag("docker")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "lab.instances=0")
@Import(SampleContainers.class)
class ShopContainerIntegrationTests {

	private static final int ITEMS = 10;

	private static final int ORDERS = 40;

	@Autowired
	private Shop shop;

	@Autowired
	private Stock stock;

	@Autowired
	private DistributedLocks locks;

	@Autowired
	private ApplicationContext context;

	@Test
	void locksAreInTheContainer() {
		GenericContainer<?> container = assertIsOn(this.context);
		this.locks.get("disLock:cup").run(() -> {
			assertThat(this.locks.get("disLock:cup")).isHeldByCurrentThread();
			assertThat(exists(container, "disLock:cup")).isEqualTo(1);
		});
		assertThat(exists(container, "disLock:cup")).isZero();
	}

	@Test
	void ordersSellWhatIsThere() {
		this.stock.reset("cup", ITEMS);
		List<CompletableFuture<Boolean>> orders = IntStream.range(0, ORDERS)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> buy(), new SimpleAsyncTaskExecutor()))
			.toList();
		assertThat(orders.stream().filter(CompletableFuture::join)).hasSize(ITEMS);
		assertThat(this.stock.level("cup").oversold()).isZero();
		assertThat(this.locks.get("disLock:cup")).isFree();
	}

	private boolean buy() {
		return this.shop.buy("cup", (token) -> {
		});
	}

	@Test
	void applicationOfDevelopmentStartsOnAContainerToo() {
		SpringApplication.Running running = TestSampleApplication.start("--lab.start-server=false", "--lab.instances=0",
				"--server.port=0");
		try (var started = running.getApplicationContext()) {
			assertIsOn(started);
			assertThat(started.getBean(StringRedisTemplate.class).opsForValue().get("nothing")).isNull();
		}
	}

	private static GenericContainer<?> assertIsOn(ApplicationContext context) {
		GenericContainer<?> container = context.getBean(GenericContainer.class);
		DataRedisConnectionDetails.Standalone standalone = context.getBean(DataRedisConnectionDetails.class)
			.getStandalone();
		assertThat(standalone).isNotNull();
		assertThat(standalone.getPort()).isEqualTo(container.getFirstMappedPort());
		return container;
	}

	/**
	 * Asks the server past the application.
	 */
	private static long exists(GenericContainer<?> container, String key) {
		RedisURI server = RedisURI.create(container.getHost(), container.getFirstMappedPort());
		try (RedisClient client = RedisClient.create(server)) {
			return client.connect().sync().exists(key);
		}
	}

}
