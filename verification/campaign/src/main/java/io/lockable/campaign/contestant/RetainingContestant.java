package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.lockable.campaign.history.Share;
import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.Peer.Held;
import io.lockable.harness.peer.Polling;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A lock that its instance retains after a release, with one mistake. One thread of an
 * instance uses it at a time.
 */
final class RetainingContestant implements Contestant {

	private final StringRedisTemplate template;

	private final Mistake mistake;

	private final Map<String, Handle> retained = new ConcurrentHashMap<>();

	RetainingContestant(Address address, Mistake mistake) {
		this.template = Client.LETTUCE.connect(address.setup(address.configuration(), 1));
		this.mistake = mistake;
	}

	@Override
	public List<LockKind> kinds() {
		return List.of(LockKind.RETAINED);
	}

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		Handle handle = this.retained.remove(key);
		if (handle != null && (this.mistake == Mistake.NO_DEADLINE || handle.isHeld())) {
			return handle;
		}
		return Polling.until(wait, () -> tryOnce(key));
	}

	private @Nullable Held tryOnce(String key) {
		long now = System.nanoTime();
		boolean set = Boolean.TRUE
			.equals(this.template.opsForValue().setIfAbsent(key, UUID.randomUUID().toString(), this.mistake.retain));
		return set ? new Handle(key, now + this.mistake.retain.toNanos()) : null;
	}

	@Override
	public void close() {
		Client.disconnect(this.template);
	}

	/**
	 * The mistake of the lock.
	 */
	enum Mistake {

		/**
		 * The instance answers no recall.
		 */
		DEAF(LEASE.multipliedBy(2)),

		/**
		 * The next holder enters although the lease has expired.
		 */
		NO_DEADLINE(LEASE.dividedBy(4));

		private final Duration retain;

		Mistake(Duration retain) {
			this.retain = retain;
		}

	}

	private final class Handle implements Held {

		private final String key;

		private final long deadline;

		Handle(String key, long deadline) {
			this.key = key;
			this.deadline = deadline;
		}

		@Override
		public boolean isHeld() {
			return RetainingContestant.this.mistake == Mistake.NO_DEADLINE || System.nanoTime() - this.deadline < 0;
		}

		@Override
		public boolean release() {
			boolean ours = isHeld();
			RetainingContestant.this.retained.put(this.key, this);
			return ours;
		}

	}

}
