package io.lockable.harness.peer;

import java.time.Duration;
import java.time.Instant;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

/**
 * ShedLock with a release by the owner only. It tries once, with a sleep of 10 to 50 ms
 * between attempts.
 */
public final class ShedLockPeer extends PollingPeer {

	private final Duration lease;

	private final RedisLockProvider provider;

	/**
	 * Connects.
	 * @param setup the settings
	 */
	public ShedLockPeer(Setup setup) {
		super(setup);
		this.lease = setup.lease();
		this.provider = new RedisLockProvider.Builder(this.template.getRequiredConnectionFactory()).safeUpdate(true)
			.build();
	}

	@Override
	@Nullable Held tryOnce(String key) {
		long deadline = System.nanoTime() + this.lease.toNanos();
		return this.provider.lock(new LockConfiguration(Instant.now(), key, this.lease, Duration.ZERO))
			.map((lock) -> new Handle(lock, deadline))
			.orElse(null);
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
