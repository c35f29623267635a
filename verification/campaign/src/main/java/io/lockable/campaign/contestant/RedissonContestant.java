package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.history.Share;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's fenced lock, which its watchdog renews. It asks the server whether it is
 * held.
 */
final class RedissonContestant implements Contestant {

	private static final int CONNECTIONS = 8;

	private final RedissonClient client;

	RedissonContestant(Address address) {
		Config config = new Config();
		config.setLockWatchdogTimeout(LEASE.toMillis());
		config.setUsername(Address.USER).setPassword(Address.PASSWORD);
		config.useSingleServer()
			.setAddress("redis://" + address.nodes().get(0))
			.setTimeout((int) COMMAND_TIMEOUT.toMillis())
			.setConnectionMinimumIdleSize(CONNECTIONS)
			.setConnectionPoolSize(CONNECTIONS);
		this.client = Redisson.create(config);
	}

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		RFencedLock lock = this.client.getFencedLock(key);
		Long token = lock.tryLockAndGetToken(wait.toMillis(), TimeUnit.MILLISECONDS);
		return (token != null) ? new Handle(lock, token) : null;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	/**
	 * A lock of the current thread.
	 *
	 * @param lock the lock
	 * @param token its fencing token
	 */
	private record Handle(RFencedLock lock, long token) implements Held {

		@Override
		public boolean isHeld() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public boolean release() {
			try {
				this.lock.unlock();
				return true;
			}
			catch (IllegalMonitorStateException ex) {
				return false;
			}
		}

	}

}
