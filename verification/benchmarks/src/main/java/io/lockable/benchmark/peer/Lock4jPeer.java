package io.lockable.benchmark.peer;

import java.time.Duration;
import java.util.List;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Setup;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j's template with its Redis template executor and its retry interval of 100 ms.
 */
final class Lock4jPeer implements Peer {

	private static final long UNLIMITED = Duration.ofDays(1).toMillis();

	// Lock4j renews a lock only if it has no explicit lease, with one timer thread per
	// lock
	private static final long RENEWED = -1;

	private final StringRedisTemplate redis;

	private final LockTemplate template = new LockTemplate();

	private final long lease;

	Lock4jPeer(Setup setup, boolean renewed) {
		this.redis = Client.LETTUCE.connect(setup);
		this.lease = renewed ? RENEWED : PeerKind.LEASE.toMillis();
		Lock4jProperties properties = new Lock4jProperties();
		properties.setExpire(PeerKind.LEASE.toMillis());
		this.template.setProperties(properties);
		this.template.setExecutors(List.of(new RedisTemplateLockExecutor(this.redis, properties)));
		try {
			this.template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Held lock(String key) {
		LockInfo lock = this.template.lock(key, this.lease, UNLIMITED);
		return () -> this.template.releaseLock(lock);
	}

	@Override
	public void close() {
		Client.disconnect(this.redis);
	}

}
