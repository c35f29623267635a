package io.lockable.campaign.contestant;

import java.time.Duration;
import java.time.Instant;

import io.lockable.campaign.history.Share;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * ShedLock with a release by the owner only, and without renewal. It does not report the
 * end of a lock, so the holder compares its own clock.
 */
final class ShedLockContestant implements Contestant {

	private final StringRedisTemplate template;

	private final RedisLockProvider provider;

	ShedLockContestant(Address address) {
		this.template = Client.lettuce(address.configuration(), COMMAND_TIMEOUT);
		this.provider = new RedisLockProvider.Builder(this.template.getRequiredConnectionFactory()).safeUpdate(true)
			.build();
	}

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		return Polling.until(wait, () -> {
			long deadline = System.nanoTime() + LEASE.toNanos();
			return this.provider.lock(new LockConfiguration(Instant.now(), key, LEASE, Duration.ZERO))
				.map((lock) -> new Handle(lock, deadline))
				.orElse(null);
		});
	}

	@Override
	public void close() {
		Client.disconnect(this.template);
	}

	/**
	 * A lock.
	 *
	 * @param lock the lock
	 * @param deadline the end of its lease
	 */
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
