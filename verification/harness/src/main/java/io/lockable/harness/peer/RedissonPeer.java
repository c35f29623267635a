package io.lockable.harness.peer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Redisson with its defaults, except for the watchdog's lease. A wait without limit is
 * for its plain or fair lock, one with a limit for its fenced lock.
 */
public final class RedissonPeer implements Peer {

	private final RedissonClient client;

	private final boolean fair;

	/**
	 * Connects.
	 * @param setup the settings, with one server
	 * @param fair whether the lock is fair
	 */
	public RedissonPeer(Setup setup, boolean fair) {
		RedisStandaloneConfiguration server = setup.server();
		Config config = new Config();
		config.setLockWatchdogTimeout(setup.lease().toMillis());
		config.setUsername(server.getUsername()).setPassword(server.getPassword().map(String::new).orElse(null));
		SingleServerConfig single = config.useSingleServer()
			.setAddress("redis://%s:%d".formatted(server.getHostName(), server.getPort()));
		if (setup.timeout() != null) {
			single.setTimeout((int) setup.timeout().toMillis())
				.setConnectionMinimumIdleSize(setup.connections())
				.setConnectionPoolSize(setup.connections());
		}
		this.client = Redisson.create(config);
		this.fair = fair;
	}

	@Override
	public Held lock(String key) {
		RLock lock = this.fair ? this.client.getFairLock(key) : this.client.getLock(key);
		lock.lock();
		return new Handle(lock, 0);
	}

	@Override
	public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		RFencedLock lock = this.client.getFencedLock(key);
		Long token = lock.tryLockAndGetToken(wait.toMillis(), TimeUnit.MILLISECONDS);
		return (token != null) ? new Handle(lock, token) : null;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	private record Handle(RLock lock, long token) implements Held {

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
