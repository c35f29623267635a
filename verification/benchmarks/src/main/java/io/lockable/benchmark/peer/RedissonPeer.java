package io.lockable.benchmark.peer;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its defaults, except for the watchdog's lease.
 */
final class RedissonPeer implements Peer {

	private final RedissonClient client;

	private final boolean fair;

	RedissonPeer(RedisAddress redis, boolean fair) {
		Config config = new Config();
		config.setLockWatchdogTimeout(LEASE.toMillis());
		config.useSingleServer().setAddress("redis://" + redis);
		this.client = Redisson.create(config);
		this.fair = fair;
	}

	@Override
	public Held lock(String key) {
		RLock lock = this.fair ? this.client.getFairLock(key) : this.client.getLock(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
