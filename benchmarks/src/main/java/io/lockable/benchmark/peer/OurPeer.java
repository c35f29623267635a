package io.lockable.benchmark.peer;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.engine.LockEngine;
import io.lockable.redis.RedisLockStore;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The lock of this project, with its defaults.
 */
final class OurPeer implements Peer {

	private final LockEngine locks;

	private final LockOptions options;

	private final Runnable disconnect;

	private OurPeer(RedisConnectionFactory connections, ReleaseMode release, Runnable disconnect) {
		this.locks = LockEngine.builder(new RedisLockStore(new StringRedisTemplate(connections))).build();
		this.options = LockOptions.defaults().withLease(LEASE).withRelease(release);
		this.disconnect = disconnect;
	}

	static OurPeer overLettuce(RedisAddress redis, ReleaseMode release) {
		LettuceConnectionFactory connections = Templates.lettuce(redis);
		return new OurPeer(connections, release, connections::destroy);
	}

	static OurPeer overJedis(RedisAddress redis, ReleaseMode release) {
		JedisConnectionFactory connections = Templates.jedis(redis);
		return new OurPeer(connections, release, connections::destroy);
	}

	@Override
	public Held lock(String key) {
		DistributedLock lock = this.locks.get(key, this.options);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.locks.close();
		this.disconnect.run();
	}

}
