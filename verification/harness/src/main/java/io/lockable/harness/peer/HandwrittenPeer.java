package io.lockable.harness.peer;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * {@code SETNX PX} on a template with a sleep between attempts, as applications write it,
 * and the mistakes of some of them.
 */
public final class HandwrittenPeer implements Peer {

	private static final RedisScript<Long> COMPARE_AND_DELETE = RedisScript.of(Protocol.COMPARE_AND_DELETE, Long.class);

	private static final int LEAKED_BYTES = 64 * 1024;

	private final StringRedisTemplate template;

	private final Duration lease;

	private final Mistake mistake;

	private final Queue<byte[]> leaked = new ConcurrentLinkedQueue<>();

	/**
	 * Connects.
	 * @param setup the settings
	 * @param mistake the planted defect
	 */
	public HandwrittenPeer(Setup setup, Mistake mistake) {
		this.template = Client.LETTUCE.connect(setup);
		this.lease = setup.lease();
		this.mistake = mistake;
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		return Polling.until(() -> tryOnce(key));
	}

	@Override
	public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		return Polling.until(wait, () -> tryOnce(key));
	}

	private @Nullable Held tryOnce(String key) {
		String owner = Protocol.newOwner();
		long deadline = System.nanoTime() + this.lease.toNanos();
		if (!Boolean.TRUE.equals(this.template.opsForValue().setIfAbsent(key, owner, this.lease))) {
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
	 * The defects.
	 */
	public enum Mistake {

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
			return HandwrittenPeer.this.mistake == Mistake.NO_DEADLINE || System.nanoTime() - this.deadline < 0;
		}

		@Override
		public long token() {
			return this.token;
		}

		@Override
		public boolean release() {
			if (HandwrittenPeer.this.mistake == Mistake.BLIND_DELETE) {
				return Boolean.TRUE.equals(HandwrittenPeer.this.template.delete(this.key));
			}
			Long deleted = HandwrittenPeer.this.template.execute(COMPARE_AND_DELETE, List.of(this.key), this.owner);
			return Long.valueOf(1).equals(deleted);
		}

	}

}
