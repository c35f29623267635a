package io.lockable.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the packaged shop, two hundred orders at once and fifty mugs.
 */
class ShopIntegrationTests {

	private static final int ITEMS = 50;

	private static final int ORDERS = 200;

	private static final List<ShopProcess> instances = new ArrayList<>();

	private static final RedisTestServer redis = RedisServers.shared();

	@BeforeAll
	static void startInstances() throws IOException {
		try {
			for (int i = 1; i <= 2; i++) {
				instances.add(ShopProcess.start("shop-" + i, "--spring.data.redis.host=" + redis.host(),
						"--spring.data.redis.port=" + redis.port(), "--shop.think-time=20ms"));
			}
			instances.forEach(ShopProcess::awaitStart);
			// the first orders of a young JVM come so late that the other one has sold
			// everything
			order("/orders");
		}
		catch (Throwable ex) {
			// after a failure here nobody calls the method that ends them
			endInstances();
			throw ex;
		}
	}

	@AfterAll
	static void endInstances() {
		instances.forEach(ShopProcess::close);
	}

	@RepeatedTest(5)
	void ordersWithTheLockSellWhatIsThere() throws Exception {
		List<Integer> answers = order("/orders");
		assertThat(answers).as(logs()).containsOnly(201, 409);
		assertThat(Collections.frequency(answers, 201)).isEqualTo(ITEMS);
		JsonNode stock = stock();
		assertThat(stock.get("sold").asInt()).isEqualTo(ITEMS);
		assertThat(stock.get("left").asInt()).isZero();
		assertThat(stock.get("oversold").asInt()).isZero();
		assertThat(stock.get("soldByInstance")).as("instances that sold").hasSize(2);
	}

	@Test
	void ordersWithoutTheLockSellMoreThanIsThere() throws Exception {
		List<Integer> answers = order("/orders/unlocked");
		assertThat(answers).as(logs()).isSubsetOf(201, 409);
		JsonNode stock = stock();
		assertThat(stock.get("sold").asInt()).isGreaterThan(ITEMS);
		assertThat(stock.get("oversold").asInt()).isEqualTo(stock.get("sold").asInt() - ITEMS);
	}

	@Test
	void lockIsFreeWhenNobodyOrders() throws Exception {
		assertThat(instances.get(0).post("/orders").join()).isIn(201, 409);
		JsonNode stock = new ObjectMapper().readTree(instances.get(1).get("/stock"));
		assertThat(stock.get("holder").isNull()).isTrue();
		assertThat(stock.get("retained").asBoolean()).isFalse();
		assertThat(redis.call("EXISTS", "disLock:mug")).isEqualTo("0");
	}

	@Test
	void pageIsServed() throws Exception {
		assertThat(instances.get(0).get("/")).contains("The last mugs").doesNotContain("http://", "https://");
	}

	private static List<Integer> order(String path) {
		assertThat(instances.get(0).post("/stock?items=" + ITEMS).join()).as(logs()).isEqualTo(200);
		List<CompletableFuture<Integer>> orders = new ArrayList<>();
		for (int i = 0; i < ORDERS; i++) {
			orders.add(instances.get(i % instances.size()).post(path));
		}
		return orders.stream().map(CompletableFuture::join).toList();
	}

	private static JsonNode stock() throws Exception {
		return new ObjectMapper().readTree(instances.get(1).get("/stock")).get("stock");
	}

	private static String logs() {
		StringBuilder logs = new StringBuilder("the logs of the instances:\n");
		instances.forEach((instance) -> logs.append(instance.log()).append('\n'));
		return logs.toString();
	}

}
