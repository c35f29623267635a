package io.lockable.harness.peer;

import java.time.Duration;
import java.time.Instant;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * ShedLock. It tries once, with a sleep of 10 to 50 ms between attempts.
 */
public final class ShedLockPeer extends PollingPeer {

	private final LockProvider provider;

	private final Duration lease;

	private final Runnable disconnect;

	/**
	 * Uses a provider.
	 * @param provider the provider, connected
	 * @param lease the lease of a lock
	 * @param disconnect ends the connections of the provider
	 */
	public ShedLockPeer(LockProvider provider, Duration lease, Runnable disconnect) {
		this.provider = provider;
		this.lease = lease;
		this.disconnect = disconnect;
	}

	/**
	 * Connects to Redis, with a release by the owner only.
	 * @param setup the settings
	 * @return the peer
	 */
	public static ShedLockPeer onRedis(Setup setup) {
		StringRedisTemplate template = Client.LETTUCE.connect(setup);
		return new ShedLockPeer(
				new RedisLockProvider.Builder(template.getRequiredConnectionFactory()).safeUpdate(true).build(),
				setup.lease(), () -> Client.disconnect(template));
	}

	@Override
	@Nullable Held tryOnce(String key) {
		long deadline = System.nanoTime() + this.lease.toNanos();
		return this.provider.lock(new LockConfiguration(Instant.now(), key, this.lease, Duration.ZERO))
			.map((lock) -> new Handle(lock, deadline))
			.orElse(null);
	}

	@Override
	public void close() {
		this.disconnect.run();
	}

	private record Handle(SimpleLock lock, long deadline) implements Held {

		@Override
		public boolean isHeld() {
			return System.nanoTime() - this.deadline < 0;
		}

		@Override
		public boolean release() {
			boolean ours = isHeld();
			this.lock.unlock();
			return ours;
		}

	}

}
