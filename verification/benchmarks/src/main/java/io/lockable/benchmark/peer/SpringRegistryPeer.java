package io.lockable.benchmark.peer;

import java.util.concurrent.locks.Lock;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry with its defaults, except for the lease.
 */
final class SpringRegistryPeer implements Peer {

	private final LettuceConnectionFactory connections;

	private final RedisLockRegistry registry;

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	SpringRegistryPeer(RedisAddress redis, RedisLockType type, boolean renewed) {
		this.connections = Templates.lettuce(redis);
		this.registry = new RedisLockRegistry(this.connections, "benchmark", LEASE);
		this.registry.setRedisLockType(type);
		this.scheduler.initialize();
		if (renewed) {
			this.registry.setRenewalTaskScheduler(this.scheduler);
		}
	}

	@Override
	public Held lock(String key) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.scheduler.destroy();
		this.registry.destroy();
		this.connections.destroy();
	}

}
