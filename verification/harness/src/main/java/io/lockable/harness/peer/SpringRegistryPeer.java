package io.lockable.harness.peer;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry with its defaults, except for the lease.
 */
public final class SpringRegistryPeer implements Peer {

	/**
	 * The prefix of all keys.
	 */
	public static final String PREFIX = "registry";

	private final LockRegistry<?> registry;

	private final Runnable disconnect;

	/**
	 * Uses a registry.
	 * @param registry the registry, connected
	 * @param disconnect ends the connections of the registry
	 */
	public SpringRegistryPeer(LockRegistry<?> registry, Runnable disconnect) {
		this.registry = registry;
		this.disconnect = disconnect;
	}

	/**
	 * Connects to Redis.
	 * @param setup the settings
	 * @param type whether waiters poll or are notified
	 * @param renewed whether leases are renewed
	 * @return the peer
	 */
	public static SpringRegistryPeer onRedis(Setup setup, RedisLockType type, boolean renewed) {
		StringRedisTemplate template = Client.LETTUCE.connect(setup);
		RedisLockRegistry registry = new RedisLockRegistry(template.getRequiredConnectionFactory(), PREFIX,
				setup.lease());
		registry.setRedisLockType(type);
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.initialize();
		if (renewed) {
			registry.setRenewalTaskScheduler(scheduler);
		}
		return new SpringRegistryPeer(registry, () -> {
			scheduler.destroy();
			registry.destroy();
			Client.disconnect(template);
		});
	}

	@Override
	public Held lock(String key) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		return () -> release(lock);
	}

	@Override
	public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		Lock lock = this.registry.obtain(key);
		return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? () -> release(lock) : null;
	}

	private static boolean release(Lock lock) {
		try {
			lock.unlock();
			return true;
		}
		catch (ConcurrentModificationException | IllegalStateException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.disconnect.run();
	}

}
