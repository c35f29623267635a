package io.lockable.campaign.contestant;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.campaign.history.Share;
import io.lockable.engine.LockEngine;
import io.lockable.engine.shell.KeyShells;
import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.Peer.Held;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.redis.Acknowledgements;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.RedlockLockStore;
import io.lockable.redis.Replicas;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The locks of this project.
 */
final class OurContestant implements Contestant {

	/**
	 * The time limit for one of several masters: a busy machine is not a failed master.
	 */
	private static final Duration MASTER_TIMEOUT = Duration.ofMillis(300);

	/**
	 * Longer than the lease, which then ends the retention.
	 */
	private static final Duration LONG_RETAIN = LEASE.multipliedBy(2);

	private static final Duration SHORT_RETAIN = Duration.ofMillis(60);

	private static final int POOL_SIZE = 16;

	private static final int POSTGRES_POOL_SIZE = 8;

	private final LockEngine engine;

	private final Runnable disconnect;

	private final Map<Thread, CompletableFuture<Lease>> pending = new ConcurrentHashMap<>();

	private OurContestant(LockStore store, Runnable disconnect) {
		this.disconnect = disconnect;
		this.engine = LockEngine.builder(store)
			.commandTimeout(COMMAND_TIMEOUT)
			.recallTimeout(RECALL_TIMEOUT)
			.shutdownTimeout(Duration.ofMillis(300))
			.build();
	}

	static OurContestant onRedis(Address address, Client client) {
		if (address.topology() == Topology.REDLOCK) {
			List<StringRedisTemplate> templates = address.nodes()
				.stream()
				.map((node) -> client.connect(address.setup(Address.standalone(node), POOL_SIZE)))
				.toList();
			return new OurContestant(new RedlockLockStore(templates, MASTER_TIMEOUT),
					() -> templates.forEach(Client::disconnect));
		}
		StringRedisTemplate template = client.connect(address.setup(address.configuration(), POOL_SIZE));
		Acknowledgements acknowledgements = (address.topology() == Topology.REPLICATED)
				? Acknowledgements.of(Replicas.MAJORITY).withReplicas(Address.REPLICAS)
				: Acknowledgements.of(Replicas.NONE);
		return new OurContestant(new RedisLockStore(template, acknowledgements, WAITER_TIMEOUT),
				() -> Client.disconnect(template));
	}

	static OurContestant onPostgres(Address address) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl("jdbc:postgresql://" + address.nodes().get(0) + "/postgres");
		config.setUsername(Address.USER);
		config.setMaximumPoolSize(POSTGRES_POOL_SIZE);
		config.setConnectionTimeout(COMMAND_TIMEOUT.toMillis());
		config.setValidationTimeout(COMMAND_TIMEOUT.dividedBy(2).toMillis());
		config.addDataSourceProperty("cancelSignalTimeout", Long.toString(COMMAND_TIMEOUT.toSeconds()));
		HikariDataSource pool = new HikariDataSource(config);
		return new OurContestant(new PostgresLockStore(pool, COMMAND_TIMEOUT), pool::close);
	}

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		LockKind kind = LockKind.of(key);
		LockOptions options = LockOptions.defaults()
			.withLease(LEASE)
			.withWaitTime(wait)
			.withFair(kind == LockKind.FAIR)
			.withRenewal((kind == LockKind.UNRENEWED) ? Renewal.OFF : Renewal.ON)
			.withRelease((kind == LockKind.PIPELINED) ? ReleaseMode.PIPELINED : ReleaseMode.CONFIRMED)
			.withRetain(retain(kind, wait));
		Optional<Lease> lease = switch (kind) {
			case READWRITE ->
				(share == Share.READ) ? this.engine.getReadWriteLock(key, options).readLock().tryAcquire(wait)
						: this.engine.getReadWriteLock(key, options).writeLock().tryAcquire(wait);
			case PERMITS -> this.engine.getSemaphore(key, LockKind.NUMBER_OF_PERMITS, options).tryAcquire(wait);
			case SEVERAL -> this.engine.getAll(LockKind.storedKeys(key), options).tryAcquire(wait);
			case ASYNC -> await(this.engine.get(key, options).acquireAsync());
			case EXCLUSIVE, FAIR, PIPELINED, UNRENEWED, RETAINED, BRIEF ->
				this.engine.get(key, options).tryAcquire(wait);
		};
		return lease.map((held) -> new HeldLease(held, kind != LockKind.PIPELINED)).orElse(null);
	}

	private static Duration retain(LockKind kind, Duration wait) {
		return switch (kind) {
			case RETAINED -> LONG_RETAIN;
			case BRIEF -> wait.isZero() ? Duration.ZERO : SHORT_RETAIN;
			default -> Duration.ZERO;
		};
	}

	private Optional<Lease> await(CompletableFuture<Lease> future) throws InterruptedException {
		this.pending.put(Thread.currentThread(), future);
		try {
			return Optional.of(future.get());
		}
		catch (InterruptedException ex) {
			// A lease that is granted with the interrupt must not be lost
			future.cancel(false);
			if (!future.isCancelled()) {
				future.thenAccept(Lease::close);
			}
			throw ex;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockNotAcquiredException) {
				return Optional.empty();
			}
			throw new LockException(String.valueOf(ex.getMessage()), ex);
		}
		finally {
			this.pending.remove(Thread.currentThread());
		}
	}

	@Override
	public void cancelPending() {
		this.pending.values().forEach((future) -> future.cancel(false));
	}

	@Override
	public int entries() {
		return this.engine.holdings().size() + this.engine.waiting().size() + shells(this.engine).size();
	}

	/**
	 * Reads the entries of the engine, which it does not expose.
	 */
	private static KeyShells shells(LockEngine engine) {
		try {
			Method shells = LockEngine.class.getDeclaredMethod("shells");
			shells.setAccessible(true);
			return (KeyShells) shells.invoke(engine);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The engine has no shells any more: change this method", ex);
		}
	}

	@Override
	public void close() {
		this.engine.close();
		this.disconnect.run();
	}

	/**
	 * A lease.
	 *
	 * @param lease the lease
	 * @param confirmed whether the release waits for the server; otherwise the result
	 * does not prove that the lock was held until then
	 */
	private record HeldLease(Lease lease, boolean confirmed) implements Held {

		@Override
		public boolean isHeld() {
			return this.lease.isHeld();
		}

		@Override
		public long token() {
			return this.lease.fencingToken();
		}

		@Override
		public boolean release() {
			boolean held = isHeld();
			return this.lease.release() && (this.confirmed || held);
		}

	}

}
