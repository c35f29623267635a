package io.lockable.sample;

import java.util.Map;
import java.util.Objects;

import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * What is left of an item and what was sold of it, in Redis, where all instances see it.
 * What is left is one number that is read and written; what was sold is counted by the
 * server, and so is true whatever the shop does.
 */
@Component
class Stock {

	private static final String SUPPLY = "shop:supply:";

	private static final String LEFT = "shop:left:";

	private static final String SOLD = "shop:sold:";

	private final StringRedisTemplate redis;

	private final HashOperations<String, String, String> hashes;

	private final Environment environment;

	Stock(StringRedisTemplate redis, Environment environment) {
		this.redis = redis;
		this.hashes = redis.opsForHash();
		this.environment = environment;
	}

	void reset(String itemId, int items) {
		String number = Integer.toString(items);
		this.redis.opsForValue().multiSet(Map.of(SUPPLY + itemId, number, LEFT + itemId, number));
		this.redis.delete(SOLD + itemId);
	}

	int left(String itemId) {
		return number(LEFT + itemId);
	}

	void left(String itemId, int left) {
		this.redis.opsForValue().set(LEFT + itemId, Integer.toString(left));
	}

	void sold(String itemId) {
		this.hashes.increment(SOLD + itemId, this.environment.getRequiredProperty("local.server.port"), 1);
	}

	Level level(String itemId) {
		Map<String, String> soldByInstance = this.hashes.entries(SOLD + itemId);
		int sold = soldByInstance.values().stream().mapToInt(Integer::parseInt).sum();
		int supply = number(SUPPLY + itemId);
		return new Level(supply, left(itemId), sold, Math.max(0, sold - supply), soldByInstance);
	}

	private int number(String key) {
		return Integer.parseInt(Objects.requireNonNullElse(this.redis.opsForValue().get(key), "0"));
	}

	/**
	 * The stock of an item at one moment.
	 *
	 * @param supply how many pieces there were
	 * @param left how many pieces are left, as the shop believes
	 * @param sold how many pieces were sold
	 * @param oversold how many of them did not exist
	 * @param soldByInstance how many pieces each instance sold, by its port
	 */
	record Level(int supply, int left, int sold, int oversold, Map<String, String> soldByInstance) {

	}

}
