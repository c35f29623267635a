package io.lockable.benchmark.peer;

import java.util.List;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * {@code SETNX PX} on a template, with a sleep of 10 to 50 ms between attempts.
 */
final class HandwrittenPeer implements Peer {

	private static final RedisScript<Long> COMPARE_AND_DELETE = RedisScript.of(Protocol.COMPARE_AND_DELETE, Long.class);

	private final LettuceConnectionFactory connections;

	private final StringRedisTemplate template;

	HandwrittenPeer(RedisAddress redis) {
		this.connections = Templates.lettuce(redis);
		this.template = new StringRedisTemplate(this.connections);
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		String owner = Protocol.newOwner();
		while (!Boolean.TRUE.equals(this.template.opsForValue().setIfAbsent(key, owner, LEASE))) {
			Protocol.sleepBeforeRetry();
		}
		return () -> {
			Long deleted = this.template.execute(COMPARE_AND_DELETE, List.of(key), owner);
			Protocol.checkReleased(Long.valueOf(1).equals(deleted), key);
		};
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
