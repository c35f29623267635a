package io.lockable.redis.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The master of each cluster slot, for a client that cannot return it without blocking.
 * The map is read in the background at the first call and after failures.
 *
 * <p>
 * The map only distinguishes servers. The client routes commands, so a stale map is
 * harmless.
 */
final class SlotMasters {

	private static final Logger log = LoggerFactory.getLogger(SlotMasters.class);

	/**
	 * The number of slot ranges that stand for servers while the masters are unknown.
	 */
	private static final int RANGES = 16;

	private static final long REFRESH_EVERY = TimeUnit.SECONDS.toNanos(1);

	private final RedisConnectionFactory connectionFactory;

	private final EngineRuntime runtime;

	private final AtomicLong refreshedAt;

	private volatile Object[] owners = new Object[0];

	SlotMasters(RedisConnectionFactory connectionFactory, EngineRuntime runtime) {
		this.connectionFactory = connectionFactory;
		this.runtime = runtime;
		this.refreshedAt = new AtomicLong(runtime.now() - REFRESH_EVERY);
	}

	/**
	 * Returns the server of a key. Does not block.
	 * @param key the key
	 * @return the id of the master, or the range of the slot while the masters are
	 * unknown
	 */
	Object of(byte[] key) {
		Object[] known = this.owners;
		int slot = ClusterSlotHashUtil.calculateSlot(key);
		if (known.length == 0) {
			refresh();
			return range(slot);
		}
		return known[slot];
	}

	static Object range(int slot) {
		return slot * RANGES / ClusterSlotHashUtil.SLOT_COUNT;
	}

	/**
	 * Reads the masters again in the background, at most once per refresh interval.
	 */
	void refresh() {
		long last = this.refreshedAt.get();
		long now = this.runtime.now();
		if (now - last >= REFRESH_EVERY && this.refreshedAt.compareAndSet(last, now)) {
			this.runtime.execute(Work.STEP, this::read);
		}
	}

	private void read() {
		Object[] read = new Object[ClusterSlotHashUtil.SLOT_COUNT];
		for (int slot = 0; slot < read.length; slot++) {
			read[slot] = range(slot);
		}
		try (RedisClusterConnection connection = this.connectionFactory.getClusterConnection()) {
			for (RedisClusterNode node : connection.clusterGetNodes()) {
				if (node.isMaster()) {
					node.getSlotRange().getSlots().forEach((slot) -> read[slot] = String.valueOf(node.getId()));
				}
			}
			this.owners = read;
		}
		catch (RuntimeException ex) {
			log.debug("Failed to read the masters of the cluster; the read is retried after the next failure", ex);
		}
	}

}
