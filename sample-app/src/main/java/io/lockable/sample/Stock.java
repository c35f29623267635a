package io.lockable.sample;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * The stock in Redis, in a hash per item. It refuses a fencing token below the largest
 * one that it has seen, when an order reads and when it writes.
 */
@Component
class Stock {

	static final long NO_TOKEN = 0;

	private static final RedisScript<Long> ACCESS = RedisScript.of(new ClassPathResource("stock.lua"), Long.class);

	private final StringRedisTemplate redis;

	private final HashOperations<String, String, String> hashes;

	Stock(StringRedisTemplate redis) {
		this.redis = redis;
		this.hashes = redis.opsForHash();
	}

	void reset(String item, int supply) {
		String number = Integer.toString(supply);
		this.redis.delete(key(item));
		this.hashes.putAll(key(item), Map.of("supply", number, "left", number));
	}

	int read(String item, long token) {
		return access(item, token, token);
	}

	void write(String item, int left, long token) {
		access(item, token, token, left);
	}

	private int access(String item, long token, Object... arguments) {
		Object[] texts = List.of(arguments).stream().map(Object::toString).toArray();
		Long left = Objects.requireNonNull(this.redis.execute(ACCESS, List.of(key(item)), texts));
		if (left < 0) {
			throw new StaleTokenException(item, token);
		}
		return left.intValue();
	}

	/**
	 * Whether the newest purchase has read the stock and not yet written it.
	 * @param item the item
	 * @param token the fencing token of the purchase
	 * @return whether the token is the largest so far, and has not sold
	 */
	boolean isPurchaseInProgress(String item, long token) {
		List<String> values = this.hashes.multiGet(key(item), List.of("token", "sale"));
		String text = Long.toString(token);
		return text.equals(values.get(0)) && !text.equals(values.get(1));
	}

	Level level(String item) {
		Map<String, String> hash = this.hashes.entries(key(item));
		int supply = (int) number(hash, "supply");
		int sold = (int) number(hash, "sold");
		return new Level(supply, (int) number(hash, "left"), sold, Math.max(0, sold - supply),
				(int) number(hash, "refused"), number(hash, "token"));
	}

	private static long number(Map<String, String> hash, String field) {
		return Long.parseLong(hash.getOrDefault(field, "0"));
	}

	private static String key(String item) {
		return "shop:" + item;
	}

	/**
	 * The stock of an item at one moment.
	 *
	 * @param supply the number of items that exist
	 * @param left the number of items that the stock says are left
	 * @param sold the number of items sold, counted by the server
	 * @param oversold the number of sold items that do not exist
	 * @param refused the number of stale reads and writes
	 * @param token the largest fencing token so far
	 */
	record Level(int supply, int left, int sold, int oversold, int refused, long token) {

	}

}
