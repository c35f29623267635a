package io.lockable.benchmark.peer;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lockable.ReleaseMode;
import io.lockable.benchmark.server.PostgresServer;
import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.HandwrittenPeer;
import io.lockable.harness.peer.HandwrittenPeer.Mistake;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.RedissonPeer;
import io.lockable.harness.peer.Setup;
import io.lockable.harness.peer.ShedLockPeer;
import io.lockable.harness.peer.SpringRegistryPeer;

import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * The peers of the comparison. A kind belongs to the family with which its name starts.
 */
public enum PeerKind {

	/**
	 * The two commands that every lock needs, on one shared Lettuce connection.
	 */
	LIMIT_LETTUCE(Use.UNCONTENDED, LimitPeer::lettuce),

	/**
	 * The same two commands, with a Jedis connection per thread.
	 */
	LIMIT_JEDIS(Use.UNCONTENDED, LimitPeer::jedis),

	/**
	 * The same two commands, with a blocking socket per thread and without a client
	 * library.
	 */
	LIMIT_SOCKET(Use.UNCONTENDED, LimitPeer::socket),

	/**
	 * The usual hand-written lock: {@code SETNX PX}, sleep, retry.
	 */
	HANDWRITTEN(Use.ALL, (setup) -> new HandwrittenPeer(setup, Mistake.NONE)),

	/**
	 * Redisson's {@code RLock}.
	 */
	REDISSON(Use.ALL_RENEWED, (setup) -> new RedissonPeer(setup, false)),

	/**
	 * Redisson's fair lock.
	 */
	REDISSON_FAIR(Use.ALL, (setup) -> new RedissonPeer(setup, true)),

	/**
	 * Spring Integration's registry, polling.
	 */
	SPRING_SPIN(Use.ALL, (setup) -> SpringRegistryPeer.onRedis(setup, RedisLockType.SPIN_LOCK, false)),

	/**
	 * Spring Integration's registry, with notifications.
	 */
	SPRING_PUBSUB(Use.ALL, (setup) -> SpringRegistryPeer.onRedis(setup, RedisLockType.PUB_SUB_LOCK, false)),

	/**
	 * Spring Integration's registry with a renewal scheduler.
	 */
	SPRING_RENEWED(Use.RENEWED, (setup) -> SpringRegistryPeer.onRedis(setup, RedisLockType.PUB_SUB_LOCK, true)),

	/**
	 * Lock4j over a Redis template, with a fixed lease.
	 */
	LOCK4J(Use.ALL, (setup) -> new Lock4jPeer(setup, false)),

	/**
	 * Lock4j over a Redis template, with a lease that it renews.
	 */
	LOCK4J_RENEWED(Use.RENEWED, (setup) -> new Lock4jPeer(setup, true)),

	/**
	 * ShedLock. It tries once, so the wait is the same as in the hand-written lock.
	 */
	SHEDLOCK(Use.ALL, ShedLockPeer::onRedis),

	/**
	 * This project's lock over Lettuce; a release waits for the server.
	 */
	OURS_CONFIRMED(Use.ALL_RENEWED, (setup) -> OurPeer.onRedis(setup, Client.LETTUCE, ReleaseMode.CONFIRMED, false)),

	/**
	 * This project's lock over Lettuce; a release does not wait for the server.
	 */
	OURS_PIPELINED(Use.ALL, (setup) -> OurPeer.onRedis(setup, Client.LETTUCE, ReleaseMode.PIPELINED, false)),

	/**
	 * This project's lock over Lettuce, which an instance retains after a release.
	 */
	OURS_RETAINED(Use.RETAINED, (setup) -> OurPeer.onRedis(setup, Client.LETTUCE, ReleaseMode.CONFIRMED, true)),

	/**
	 * This project's lock over Jedis; a release waits for the server.
	 */
	OURS_JEDIS(Use.ALL, (setup) -> OurPeer.onRedis(setup, Client.JEDIS, ReleaseMode.CONFIRMED, false)),

	/**
	 * Advisory locks of PostgreSQL.
	 */
	ADVISORY(JdbcPeer::new),

	/**
	 * Spring Integration's registry on PostgreSQL, polling.
	 */
	SPRING_JDBC(JdbcPeer::spring),

	/**
	 * ShedLock on PostgreSQL.
	 */
	SHEDLOCK_JDBC(JdbcPeer::shedLock),

	/**
	 * This project's lock on PostgreSQL.
	 */
	OURS_POSTGRESQL(OurPeer::new);

	/**
	 * The lease of every peer, so that all renew equally often.
	 */
	public static final Duration LEASE = Duration.ofSeconds(10);

	// Exceeds the number of threads of any scenario that use Redis concurrently
	private static final int POOL_SIZE = 64;

	private static final int POSTGRESQL_POOL_SIZE = 8;

	private final Store store;

	private final Use use;

	@SuppressWarnings("ImmutableEnumChecker") // a function without state
	private final Function<String, Peer> opener;

	PeerKind(Use use, Function<Setup, Peer> opener) {
		this.store = Store.REDIS;
		this.use = use;
		this.opener = (address) -> opener.apply(redis(address));
	}

	PeerKind(Function<HikariDataSource, Peer> opener) {
		this.store = Store.POSTGRESQL;
		this.use = Use.ALL;
		this.opener = (address) -> opener.apply(postgresql(address));
	}

	private static Setup redis(String address) {
		RedisNode node = RedisNode.fromString(address);
		return new Setup(new RedisStandaloneConfiguration(node.getRequiredHost(), node.getRequiredPort()), LEASE,
				POOL_SIZE, null);
	}

	private static HikariDataSource postgresql(String address) {
		HikariConfig pool = new HikariConfig();
		pool.setJdbcUrl(PostgresServer.url(address));
		pool.setMaximumPoolSize(POSTGRESQL_POOL_SIZE);
		return new HikariDataSource(pool);
	}

	/**
	 * Returns the name on the command line and in the report.
	 * @return the name
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Returns the server of this peer.
	 * @return the server
	 */
	public Store store() {
		return this.store;
	}

	/**
	 * Connects.
	 * @param address the server, as host:port
	 * @return the peer, ready
	 */
	public Peer open(String address) {
		return this.opener.apply(address);
	}

	/**
	 * Returns whether this is the bare protocol instead of a lock.
	 * @return whether this is a limit
	 */
	public boolean isLimit() {
		return this.use == Use.UNCONTENDED;
	}

	/**
	 * Returns whether this is a lock of this project.
	 * @return whether it belongs to this project
	 */
	public boolean isOurs() {
		return is("ours");
	}

	/**
	 * Returns whether acquirers wait for a holder.
	 * @return whether contention is measured
	 */
	public boolean waits() {
		return this.use == Use.ALL || this.use == Use.ALL_RENEWED;
	}

	/**
	 * Returns whether a held lease is extended.
	 * @return whether renewal is measured
	 */
	public boolean renews() {
		return this.use == Use.RENEWED || this.use == Use.ALL_RENEWED;
	}

	/**
	 * Returns whether uncontended locks are measured.
	 * @return whether uncontended throughput is measured
	 */
	public boolean runsUncontended() {
		return this.use != Use.RENEWED && this.use != Use.RETAINED;
	}

	/**
	 * Returns whether a name selects this kind.
	 * @param name a label or the start of one, up to a hyphen
	 * @return whether it selects this kind
	 */
	public boolean is(String name) {
		String wanted = name.toLowerCase(Locale.ROOT);
		return label().equals(wanted) || label().startsWith(wanted + "-");
	}

	private enum Use {

		UNCONTENDED, ALL, RENEWED, ALL_RENEWED, RETAINED

	}

}
