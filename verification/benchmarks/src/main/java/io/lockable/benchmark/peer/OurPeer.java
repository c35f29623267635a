package io.lockable.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.engine.LockEngine;
import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.Setup;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.redis.RedisLockStore;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The lock of this project, with its defaults.
 */
final class OurPeer implements TryingPeer {

	private final LockEngine locks;

	private final Runnable disconnect;

	private final LockOptions options;

	private final LockOptions unretained;

	OurPeer(HikariDataSource pool) {
		this(new PostgresLockStore(pool), pool::close, ReleaseMode.CONFIRMED, false);
	}

	private OurPeer(LockStore store, Runnable disconnect, ReleaseMode release, boolean retained) {
		this.locks = LockEngine.builder(store).build();
		this.disconnect = disconnect;
		this.unretained = LockOptions.defaults().withLease(PeerKind.LEASE).withRelease(release);
		this.options = retained ? this.unretained.withRetain(PeerKind.LEASE) : this.unretained;
	}

	static OurPeer onRedis(Setup setup, Client client, ReleaseMode release, boolean retained) {
		StringRedisTemplate template = client.connect(setup);
		return new OurPeer(new RedisLockStore(template), () -> Client.disconnect(template), release, retained);
	}

	@Override
	public Held lock(String key) {
		DistributedLock lock = this.locks.get(key, this.options);
		lock.lock();
		return held(lock);
	}

	@Override
	public @Nullable Held tryLock(String key, boolean retained) {
		DistributedLock lock = this.locks.get(key, retained ? this.options : this.unretained);
		return lock.tryLock() ? held(lock) : null;
	}

	// An unlock of a lost lock throws
	private static Held held(DistributedLock lock) {
		return () -> {
			lock.unlock();
			return true;
		};
	}

	@Override
	public void close() {
		this.locks.close();
		this.disconnect.run();
	}

}
