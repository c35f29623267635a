package io.lockable.benchmark.peer;

import java.time.Duration;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.engine.LockEngine;
import io.lockable.redis.RedisLockStore;
import org.jspecify.annotations.Nullable;

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

	private final LockOptions unretained;

	private final Runnable disconnect;

	private OurPeer(RedisConnectionFactory connections, ReleaseMode release, Duration retain, Runnable disconnect) {
		this.locks = LockEngine.builder(new RedisLockStore(new StringRedisTemplate(connections))).build();
		this.unretained = LockOptions.defaults().withLease(LEASE).withRelease(release);
		this.options = this.unretained.withRetain(retain);
		this.disconnect = disconnect;
	}

	static OurPeer overLettuce(RedisAddress redis, ReleaseMode release, Duration retain) {
		LettuceConnectionFactory connections = Templates.lettuce(redis);
		return new OurPeer(connections, release, retain, connections::destroy);
	}

	static OurPeer overJedis(RedisAddress redis, ReleaseMode release) {
		JedisConnectionFactory connections = Templates.jedis(redis);
		return new OurPeer(connections, release, Duration.ZERO, connections::destroy);
	}

	@Override
	public Held lock(String key) {
		DistributedLock lock = this.locks.get(key, this.options);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public @Nullable Held tryLock(String key, boolean retained) {
		DistributedLock lock = this.locks.get(key, retained ? this.options : this.unretained);
		return lock.tryLock() ? lock::unlock : null;
	}

	@Override
	public void close() {
		this.locks.close();
		this.disconnect.run();
	}

}
