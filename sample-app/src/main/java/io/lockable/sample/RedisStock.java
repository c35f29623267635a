package io.lockable.sample;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * The stock in Redis, in a hash per item.
 */
@Component
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis", matchIfMissing = true)
class RedisStock implements Stock {

	private static final RedisScript<Long> ACCESS = RedisScript.of(new ClassPathResource("stock.lua"), Long.class);

	private final StringRedisTemplate redis;

	private final HashOperations<String, String, String> hashes;

	RedisStock(StringRedisTemplate redis) {
		this.redis = redis;
		this.hashes = redis.opsForHash();
	}

	@Override
	public void reset(String item, int supply) {
		String number = Integer.toString(supply);
		this.redis.delete(key(item));
		this.hashes.putAll(key(item), Map.of("supply", number, "left", number));
	}

	@Override
	public int read(String item, long token) {
		return access(item, token, token);
	}

	@Override
	public void write(String item, int left, long token) {
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

	@Override
	public boolean isPurchaseInProgress(String item, long token) {
		List<String> values = this.hashes.multiGet(key(item), List.of("token", "sale"));
		String text = Long.toString(token);
		return text.equals(values.get(0)) && !text.equals(values.get(1));
	}

	@Override
	public Level level(String item) {
		Map<String, String> hash = this.hashes.entries(key(item));
		return new Level((int) number(hash, "supply"), (int) number(hash, "left"), (int) number(hash, "sold"),
				(int) number(hash, "refused"), number(hash, "token"));
	}

	private static long number(Map<String, String> hash, String field) {
		return Long.parseLong(hash.getOrDefault(field, "0"));
	}

	private static String key(String item) {
		return "shop:" + item;
	}

}
