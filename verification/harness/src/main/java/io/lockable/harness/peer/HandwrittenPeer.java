package io.lockable.harness.peer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * {@code SETNX PX} on a template with a sleep between attempts, as applications write it,
 * and the mistakes of some of them.
 */
public final class HandwrittenPeer extends PollingPeer {

	private static final RedisScript<Long> COMPARE_AND_DELETE = RedisScript.of(Protocol.COMPARE_AND_DELETE, Long.class);

	private static final int LEAKED_BYTES = 64 * 1024;

	private final StringRedisTemplate template;

	private final Duration lease;

	private final Mistake mistake;

	private final Queue<byte[]> leaked = new ConcurrentLinkedQueue<>();

	private final Map<String, Handle> retained = new ConcurrentHashMap<>();

	/**
	 * Connects.
	 * @param setup the settings
	 * @param mistake the planted defect
	 */
	public HandwrittenPeer(Setup setup, Mistake mistake) {
		this.template = Client.LETTUCE.connect(setup);
		this.lease = switch (mistake) {
			case DEAF -> setup.lease().multipliedBy(2);
			case STALE_ENTRY -> setup.lease().dividedBy(4);
			default -> setup.lease();
		};
		this.mistake = mistake;
	}

	@Override
	public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		Handle handle = this.retained.remove(key);
		if (handle != null && handle.isHeld()) {
			return handle;
		}
		return super.tryLock(key, wait);
	}

	@Override
	@Nullable Held tryOnce(String key) {
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
		return new Handle(this, key, owner, deadline, (token != null) ? token : 0);
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
		LEAK,

		/**
		 * The instance retains the lock, and answers no recall.
		 */
		DEAF,

		/**
		 * The instance retains the lock, and its next holder enters although the lease
		 * has expired.
		 */
		STALE_ENTRY

	}

	private record Handle(HandwrittenPeer peer, String key, String owner, long deadline, long token) implements Held {

		@Override
		public boolean isHeld() {
			return this.peer.mistake == Mistake.NO_DEADLINE || this.peer.mistake == Mistake.STALE_ENTRY
					|| System.nanoTime() - this.deadline < 0;
		}

		@Override
		public boolean release() {
			return switch (this.peer.mistake) {
				case DEAF, STALE_ENTRY -> {
					boolean ours = isHeld();
					this.peer.retained.put(this.key, this);
					yield ours;
				}
				case BLIND_DELETE -> Boolean.TRUE.equals(this.peer.template.delete(this.key));
				default -> Long.valueOf(1)
					.equals(this.peer.template.execute(COMPARE_AND_DELETE, List.of(this.key), this.owner));
			};
		}

	}

}
