package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Observes critical sections of many processes with the server's clock and counters. It
 * records overlapping holders, fencing tokens, and the time that a lock was free despite
 * a waiter.
 */
final class Witness implements AutoCloseable {

	private static final RedisScript<List<Long>> ENTER = script("""
			local inside = redis.call('INCR', KEYS[1])
			local token = tonumber(ARGV[1])
			local stale = 0
			if token > 0 then
			  stale = tonumber(redis.call('GET', KEYS[2]) or '0') >= token and 1 or 0
			  redis.call('SET', KEYS[2], ARGV[1])
			end
			local time = redis.call('TIME')
			local now = time[1] * 1000000 + time[2]
			return {inside, stale, now - tonumber(redis.call('GET', KEYS[3]) or now)}
			""");

	private static final RedisScript<List<Long>> LEAVE = script("""
			redis.call('DECR', KEYS[1])
			local time = redis.call('TIME')
			redis.call('SET', KEYS[3], string.format('%.0f', time[1] * 1000000 + time[2]))
			return {}
			""");

	private final StringRedisTemplate template;

	private final AtomicInteger entries = new AtomicInteger();

	private final AtomicInteger overlaps = new AtomicInteger();

	private final AtomicInteger staleTokens = new AtomicInteger();

	private final AtomicLong longestIdle = new AtomicLong();

	Witness(StringRedisTemplate template) {
		this.template = template;
	}

	static Witness connect(RedisTestServer server) {
		return new Witness(RedisClients.LETTUCE.connect(server));
	}

	/**
	 * Enters and leaves a section that a lock protects.
	 * @param key the lock that is held
	 * @param token its fencing token, or 0 if unknown
	 * @param waitingSince the start of the wait, as {@link System#nanoTime()}
	 */
	void visit(String key, long token, long waitingSince) {
		List<String> keys = List.of("witness:" + key + ":inside", "witness:" + key + ":token",
				"witness:" + key + ":left");
		List<Long> seen = this.template.execute(ENTER, keys, Long.toString(token));
		long waited = System.nanoTime() - waitingSince;
		this.entries.incrementAndGet();
		this.overlaps.addAndGet((seen.get(0) != 1) ? 1 : 0);
		this.staleTokens.addAndGet(seen.get(1).intValue());
		// Free since the previous holder left, and wanted since this one began to wait.
		this.longestIdle.accumulateAndGet(Math.min(waited, TimeUnit.MICROSECONDS.toNanos(seen.get(2))), Math::max);
		this.template.execute(LEAVE, keys);
	}

	int entries() {
		return this.entries.get();
	}

	int overlaps() {
		return this.overlaps.get();
	}

	int staleTokens() {
		return this.staleTokens.get();
	}

	Duration longestIdle() {
		return Duration.ofNanos(this.longestIdle.get());
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static RedisScript<List<Long>> script(String source) {
		return (RedisScript) RedisScript.of(source, List.class);
	}

	@Override
	public void close() {
		RedisClients.disconnect(this.template);
	}

}
