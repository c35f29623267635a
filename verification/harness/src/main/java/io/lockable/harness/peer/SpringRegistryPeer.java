package io.lockable.harness.peer;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry with its defaults, except for the lease.
 */
public final class SpringRegistryPeer implements Peer {

	/**
	 * The prefix of all keys.
	 */
	public static final String PREFIX = "registry";

	private final StringRedisTemplate template;

	private final RedisLockRegistry registry;

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	/**
	 * Connects.
	 * @param setup the settings
	 * @param type whether waiters poll or are notified
	 * @param renewed whether leases are renewed
	 */
	public SpringRegistryPeer(Setup setup, RedisLockType type, boolean renewed) {
		this.template = Client.LETTUCE.connect(setup);
		this.registry = new RedisLockRegistry(this.template.getRequiredConnectionFactory(), PREFIX, setup.lease());
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
		this.scheduler.destroy();
		this.registry.destroy();
		Client.disconnect(this.template);
	}

}
