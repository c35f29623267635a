package io.lockable.benchmark.peer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock with a release by the owner only. It tries once, with a sleep of 10 to 50 ms
 * between attempts.
 */
final class ShedLockPeer implements Peer {

	private final LettuceConnectionFactory connections;

	private final RedisLockProvider provider;

	ShedLockPeer(RedisAddress redis) {
		this.connections = Templates.lettuce(redis);
		this.provider = new RedisLockProvider.Builder(this.connections).safeUpdate(true).build();
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		Optional<SimpleLock> lock = tryLock(key);
		while (lock.isEmpty()) {
			Protocol.sleepBeforeRetry();
			lock = tryLock(key);
		}
		return lock.get()::unlock;
	}

	private Optional<SimpleLock> tryLock(String key) {
		return this.provider.lock(new LockConfiguration(Instant.now(), key, LEASE, Duration.ZERO));
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
