package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockable.campaign.history.Share;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The usual hand-written lock, {@code SET NX PX}, with at most one mistake.
 */
final class HandwrittenContestant implements Contestant {

	private static final RedisScript<Long> COMPARE_AND_DELETE = RedisScript.of("""
			if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end""",
			Long.class);

	private static final int LEAKED_BYTES = 64 * 1024;

	private final StringRedisTemplate template;

	private final Mistake mistake;

	private final Queue<byte[]> leaked = new ConcurrentLinkedQueue<>();

	HandwrittenContestant(Address address, Mistake mistake) {
		this.template = Client.lettuce(address.configuration(), COMMAND_TIMEOUT);
		this.mistake = mistake;
	}

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		return Polling.until(wait, () -> tryOnce(key));
	}

	private @Nullable Held tryOnce(String key) {
		String owner = UUID.randomUUID().toString();
		long deadline = System.nanoTime() + LEASE.toNanos();
		if (!Boolean.TRUE.equals(this.template.opsForValue().setIfAbsent(key, owner, LEASE))) {
			return null;
		}
		if (this.mistake == Mistake.LEAK) {
			this.leaked.add(new byte[LEAKED_BYTES]);
			this.template.opsForValue().set(owner, key);
		}
		Long token = (this.mistake == Mistake.RESTARTING_TOKENS)
				? this.template.opsForValue().increment(key + ":counter") : null;
		return new Handle(key, owner, deadline, (token != null) ? token : 0);
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
		 * No mistake, but neither fencing tokens nor renewal.
		 */
		NONE,

		/**
		 * The release deletes the key of any owner.
		 */
		BLIND_DELETE,

		/**
		 * The holder believes to hold the lock until it releases it.
		 */
		NO_DEADLINE,

		/**
		 * The fencing token is a counter that restarts when the server loses its data.
		 */
		RESTARTING_TOKENS,

		/**
		 * Each acquisition leaks memory and a key.
		 */
		LEAK

	}

	private final class Handle implements Held {

		private final String key;

		private final String owner;

		private final long deadline;

		private final long token;

		Handle(String key, String owner, long deadline, long token) {
			this.key = key;
			this.owner = owner;
			this.deadline = deadline;
			this.token = token;
		}

		@Override
		public boolean isHeld() {
			return HandwrittenContestant.this.mistake == Mistake.NO_DEADLINE || System.nanoTime() - this.deadline < 0;
		}

		@Override
		public long token() {
			return this.token;
		}

		@Override
		public boolean release() {
			if (HandwrittenContestant.this.mistake == Mistake.BLIND_DELETE) {
				return Boolean.TRUE.equals(HandwrittenContestant.this.template.delete(this.key));
			}
			Long deleted = HandwrittenContestant.this.template.execute(COMPARE_AND_DELETE, List.of(this.key),
					this.owner);
			return Long.valueOf(1).equals(deleted);
		}

	}

}
