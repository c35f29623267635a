package io.lockable.benchmark.peer;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

import io.lockable.ReleaseMode;
import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.HandwrittenPeer;
import io.lockable.harness.peer.HandwrittenPeer.Mistake;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.RedissonPeer;
import io.lockable.harness.peer.ShedLockPeer;
import io.lockable.harness.peer.SpringRegistryPeer;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * The peers of the comparison. A kind belongs to the family with which its name starts.
 */
public enum PeerKind {

	/**
	 * The two commands that every lock needs, on one shared Lettuce connection.
	 */
	LIMIT_LETTUCE("limit-lettuce", Use.UNCONTENDED, LettuceLimitPeer::new),

	/**
	 * The same two commands, with a Jedis connection per thread.
	 */
	LIMIT_JEDIS("limit-jedis", Use.UNCONTENDED, JedisLimitPeer::new),

	/**
	 * The same two commands, with a blocking socket per thread and without a client
	 * library.
	 */
	LIMIT_SOCKET("limit-socket", Use.UNCONTENDED, SocketLimitPeer::new),

	/**
	 * The usual hand-written lock: {@code SETNX PX}, sleep, retry.
	 */
	HANDWRITTEN("handwritten", Use.ALL, (redis) -> new HandwrittenPeer(redis.setup(), Mistake.NONE)),

	/**
	 * Redisson's {@code RLock}.
	 */
	REDISSON("redisson", Use.ALL_RENEWED, (redis) -> new RedissonPeer(redis.setup(), false)),

	/**
	 * Redisson's fair lock.
	 */
	REDISSON_FAIR("redisson-fair", Use.ALL, (redis) -> new RedissonPeer(redis.setup(), true)),

	/**
	 * Spring Integration's registry, polling.
	 */
	SPRING_SPIN("spring-spin", Use.ALL,
			(redis) -> new SpringRegistryPeer(redis.setup(), RedisLockType.SPIN_LOCK, false)),

	/**
	 * Spring Integration's registry, with notifications.
	 */
	SPRING_PUBSUB("spring-pubsub", Use.ALL,
			(redis) -> new SpringRegistryPeer(redis.setup(), RedisLockType.PUB_SUB_LOCK, false)),

	/**
	 * Spring Integration's registry with a renewal scheduler.
	 */
	SPRING_RENEWED("spring-renewed", Use.RENEWED,
			(redis) -> new SpringRegistryPeer(redis.setup(), RedisLockType.PUB_SUB_LOCK, true)),

	/**
	 * Lock4j over a Redis template, with a fixed lease.
	 */
	LOCK4J("lock4j", Use.ALL, (redis) -> new Lock4jPeer(redis, false)),

	/**
	 * Lock4j over a Redis template, with a lease that it renews.
	 */
	LOCK4J_RENEWED("lock4j-renewed", Use.RENEWED, (redis) -> new Lock4jPeer(redis, true)),

	/**
	 * ShedLock. It tries once, so the wait is the same as in the hand-written lock.
	 */
	SHEDLOCK("shedlock", Use.ALL, (redis) -> new ShedLockPeer(redis.setup())),

	/**
	 * This project's lock over Lettuce; a release waits for the server.
	 */
	OURS_CONFIRMED("ours-confirmed", Use.ALL_RENEWED,
			(redis) -> new OurPeer(redis, Client.LETTUCE, ReleaseMode.CONFIRMED, false)),

	/**
	 * This project's lock over Lettuce; a release does not wait for the server.
	 */
	OURS_PIPELINED("ours-pipelined", Use.ALL,
			(redis) -> new OurPeer(redis, Client.LETTUCE, ReleaseMode.PIPELINED, false)),

	/**
	 * This project's lock over Lettuce, which an instance retains after a release.
	 */
	OURS_RETAINED("ours-retained", Use.RETAINED,
			(redis) -> new OurPeer(redis, Client.LETTUCE, ReleaseMode.CONFIRMED, true)),

	/**
	 * This project's lock over Jedis; a release waits for the server.
	 */
	OURS_JEDIS("ours-jedis", Use.ALL, (redis) -> new OurPeer(redis, Client.JEDIS, ReleaseMode.CONFIRMED, false));

	/**
	 * The lease of every peer, so that all renew equally often.
	 */
	public static final Duration LEASE = Duration.ofSeconds(10);

	private final String label;

	private final Use use;

	@SuppressWarnings("ImmutableEnumChecker") // a function without state
	private final Function<RedisAddress, Peer> opener;

	PeerKind(String label, Use use, Function<RedisAddress, Peer> opener) {
		this.label = label;
		this.use = use;
		this.opener = opener;
	}

	/**
	 * Returns the name on the command line and in the report.
	 * @return the name
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Connects.
	 * @param redis the server
	 * @return the peer, ready
	 */
	public Peer open(RedisAddress redis) {
		return this.opener.apply(redis);
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
		return this.label.equals(wanted) || this.label.startsWith(wanted + "-");
	}

	/**
	 * Finds the kind with a label.
	 * @param label the label
	 * @return the kind
	 */
	public static PeerKind of(String label) {
		return Arrays.stream(values())
			.filter((kind) -> kind.label.equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("'peer' must be known, was " + label));
	}

	private enum Use {

		UNCONTENDED, ALL, RENEWED, ALL_RENEWED, RETAINED

	}

}
