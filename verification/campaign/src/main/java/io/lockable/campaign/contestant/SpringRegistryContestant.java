package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockable.campaign.history.Share;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry with renewal. It cannot report whether a lock is
 * still held, so a holder believes to hold it until it unlocks.
 */
final class SpringRegistryContestant implements Contestant {

	static final String PREFIX = "campaign";

	private final StringRedisTemplate template;

	private final RedisLockRegistry registry;

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	SpringRegistryContestant(Address address) {
		this.template = Client.lettuce(address.configuration(), COMMAND_TIMEOUT);
		this.registry = new RedisLockRegistry(this.template.getRequiredConnectionFactory(), PREFIX, LEASE);
		this.registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
		this.scheduler.initialize();
		this.registry.setRenewalTaskScheduler(this.scheduler);
	}

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		Lock lock = this.registry.obtain(key);
		return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? new Handle(lock) : null;
	}

	@Override
	public void close() {
		this.scheduler.destroy();
		this.registry.destroy();
		Client.disconnect(this.template);
	}

	/**
	 * A lock of the current thread.
	 *
	 * @param lock the lock
	 */
	private record Handle(Lock lock) implements Held {

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public boolean release() {
			try {
				this.lock.unlock();
				return true;
			}
			catch (ConcurrentModificationException | IllegalStateException ex) {
				return false;
			}
		}

	}

}
