package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import io.lockable.DurationText;
import io.lockable.InTransaction;
import io.lockable.LockOptions;
import io.lockable.OnFailure;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;

/**
 * What {@code application.yml} says about locks.
 *
 * @param enabled Whether locks are active. When disabled, annotated methods run without a
 * lock.
 * @param store Where the locks live.
 * @param prefix What stands before the key of an annotated method in the store.
 * @param lease How long a lock lives in the store without renewal, from 10 ms to 365
 * days.
 * @param waitTime How long to wait for the holder at most. Zero means exactly one try.
 * @param renewal Whether the lease of a live holder is extended. A lease that an
 * annotation sets with 'expire' is not.
 * @param maxHold How long renewal keeps a lock at most. Unlimited by default.
 * @param release Whether a release waits for the answer of the store.
 * @param onFailure What becomes of an annotated call whose lock somebody else holds until
 * the wait is over. Scheduled methods skip by default.
 * @param inTransaction When an annotated method gives its lock back if its caller has a
 * transaction already: when that completes, or when the method returns.
 * @param check What becomes of what is found wrong at start.
 * @param events What happens to locks is published as an event of the application.
 * @param order The order of the aspect. The default puts the lock outside of transactions
 * and nearly everything else.
 * @param commandTimeout How long to wait for one answer of the store.
 * @param waiterTimeout How long a waiter of another instance may be silent before it
 * counts as dead, at least 100 ms, the same in all instances.
 * @param shutdownTimeout How long a shutdown waits for methods that hold a lock.
 * @param requestId The request id that owner tokens start with.
 * @param redis The store on Redis.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Store store,
		@DefaultValue("disLock:") String prefix, @DefaultValue("10s") Duration lease,
		@DefaultValue("0s") Duration waitTime, @DefaultValue("on") Renewal renewal, @Nullable Duration maxHold,
		@DefaultValue("confirmed") ReleaseMode release, @DefaultValue("throw") Contention onFailure,
		@DefaultValue("keep") CallerTransaction inTransaction, @DefaultValue Check check,
		@DefaultValue("failures") Events events, @DefaultValue("" + DEFAULT_ORDER) int order,
		@DefaultValue("3s") Duration commandTimeout, @DefaultValue("3s") Duration waiterTimeout,
		@DefaultValue("5s") Duration shutdownTimeout, @DefaultValue RequestIdProperties requestId,
		@DefaultValue Redis redis) {

	/**
	 * The order of the aspect if the application does not choose one.
	 */
	public static final int DEFAULT_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration MIN_LEASE = Duration.ofMillis(10);

	private static final Duration MIN_WAITER_TIMEOUT = Duration.ofMillis(100);

	private static final Duration LONGEST = LockOptions.MAX_LEASE;

	private static final Duration LONGEST_ANSWER = Duration.ofHours(1);

	private static final Duration LONGEST_SHUTDOWN = Duration.ofDays(1);

	/**
	 * Validates the properties.
	 * @throws IllegalArgumentException if one is out of its range
	 */
	public DistributedLockProperties {
		requireBetween("lease", lease, MIN_LEASE, LONGEST, "10s, for example");
		requireBetween("wait-time", waitTime, Duration.ZERO, LONGEST, "5s, for example, or to 0s for exactly one try");
		if (maxHold != null) {
			requireBetween("max-hold", maxHold, lease, LONGEST, "5m, for example, or remove it for no limit");
		}
		requireBetween("command-timeout", commandTimeout, SHORTEST, LONGEST_ANSWER, "3s, for example");
		requireBetween("waiter-timeout", waiterTimeout, MIN_WAITER_TIMEOUT, LONGEST_ANSWER,
				"3s, for example, and to the same in all instances");
		requireBetween("shutdown-timeout", shutdownTimeout, Duration.ZERO, LONGEST_SHUTDOWN, "5s, for example");
		checkReplicas(store, redis, commandTimeout);
		checkRedlock(redis.redlock(), lease, commandTimeout);
	}

	private static void checkReplicas(Store store, Redis redis, Duration commandTimeout) {
		if (redis.replicas() == ReplicaAcknowledgement.NONE) {
			return;
		}
		if (store == Store.MEMORY) {
			throw new InvalidLockPropertyException("redis.replicas",
					"must be none with 'distributed-lock.store=memory', was %s: there is no Redis whose replicas could acknowledge a lock"
						.formatted(redis.replicas()),
					"Set distributed-lock.redis.replicas=none beside distributed-lock.store=memory, or keep the locks in Redis.");
		}
		if (redis.replicaTimeout().compareTo(commandTimeout) >= 0) {
			throw new InvalidLockPropertyException("redis.replica-timeout",
					"must be shorter than 'distributed-lock.command-timeout' of %s, was %s"
						.formatted(DurationText.of(commandTimeout), DurationText.of(redis.replicaTimeout())),
					"Set it below the command timeout, which limits the whole answer, or raise the command timeout.");
		}
	}

	private static void checkRedlock(Redlock redlock, Duration lease, Duration commandTimeout) {
		if (redlock.nodes().isEmpty()) {
			return;
		}
		Duration timeout = redlock.timeout();
		if (timeout.compareTo(lease) >= 0 || timeout.compareTo(commandTimeout) >= 0) {
			throw new InvalidLockPropertyException("redis.redlock.timeout",
					"must be shorter than 'distributed-lock.lease' of %s and 'distributed-lock.command-timeout' of %s, was %s"
						.formatted(DurationText.of(lease), DurationText.of(commandTimeout), DurationText.of(timeout)),
					"Set it to a small part of the lease, such as 200ms: one master may take as long, and the lease runs meanwhile.");
		}
	}

	private static void requireBetween(String property, Duration value, Duration min, Duration max, String example) {
		if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
			throw new InvalidLockPropertyException(property, "must be between %s and %s, was %s"
				.formatted(DurationText.of(min), DurationText.of(max), DurationText.of(value)),
					"Set it to %s.".formatted(example));
		}
	}

	/**
	 * Returns the default options of every lock.
	 * @return the options
	 */
	public LockOptions toOptions() {
		return new LockOptions(this.lease, this.waitTime, this.renewal,
				(this.maxHold != null) ? this.maxHold : LockOptions.UNLIMITED, false, this.release, Duration.ZERO,
				LockOptions.NO_NAME);
	}

	/**
	 * Where the locks live.
	 */
	public enum Store {

		/**
		 * In Redis, shared by all instances.
		 */
		REDIS,

		/**
		 * In the memory of this instance: for tests, and for an application that runs
		 * once.
		 */
		MEMORY

	}

	/**
	 * The outcome of an annotated call while another owner holds the lock.
	 */
	public enum Contention {

		/**
		 * The call throws.
		 */
		THROW(OnFailure.THROW),

		/**
		 * The method is skipped.
		 */
		SKIP(OnFailure.SKIP);

		private final OnFailure onFailure;

		Contention(OnFailure onFailure) {
			this.onFailure = onFailure;
		}

		/**
		 * Returns the value that an annotation has for it.
		 * @return the value, never {@link OnFailure#DEFAULT}
		 */
		public OnFailure toOnFailure() {
			return this.onFailure;
		}

	}

	/**
	 * When an annotated method releases its lock in a transaction of its caller.
	 */
	public enum CallerTransaction {

		/**
		 * When the transaction completes.
		 */
		KEEP(InTransaction.KEEP),

		/**
		 * When the method returns.
		 */
		RELEASE(InTransaction.RELEASE);

		private final InTransaction inTransaction;

		CallerTransaction(InTransaction inTransaction) {
			this.inTransaction = inTransaction;
		}

		/**
		 * Returns the value that an annotation has for it.
		 * @return the value, never {@link InTransaction#DEFAULT}
		 */
		public InTransaction toInTransaction() {
			return this.inTransaction;
		}

	}

	/**
	 * What becomes of what is found wrong at start.
	 *
	 * @param neverLocked What to do at start about annotated methods that no proxy can
	 * lock: private, static and final ones, those of a final class, and those that Spring
	 * calls when it makes or destroys a bean.
	 * @param selfInvocation What to do at start about calls of annotated methods within
	 * the same object, which go past the proxy.
	 * @param unreachableStore What to do at start about a store that does not work.
	 * Unless ignored, the start waits for its answer.
	 * @param unknownProperty What to do at start about properties below
	 * 'distributed-lock' that do not exist.
	 */
	public record Check(@DefaultValue("fail") Reaction neverLocked, @DefaultValue("warn") Reaction selfInvocation,
			@DefaultValue("ignore") Reaction unreachableStore, @DefaultValue("fail") Reaction unknownProperty) {

	}

	/**
	 * What to do about something that is wrong.
	 */
	public enum Reaction {

		/**
		 * Nothing.
		 */
		IGNORE,

		/**
		 * Log it.
		 */
		WARN,

		/**
		 * Do not start.
		 */
		FAIL

	}

	/**
	 * What is published as an event of the application.
	 */
	public enum Events {

		/**
		 * Lost locks, failed renewals and failed releases.
		 */
		FAILURES,

		/**
		 * Every acquisition and release as well.
		 */
		ALL,

		/**
		 * Nothing.
		 */
		NONE

	}

	/**
	 * The request id that owner tokens start with.
	 *
	 * @param enabled Whether requests get a request id, servlet and reactive ones.
	 * @param header The header that carries the request id, in the request and in the
	 * response.
	 * @param propagateTo The hosts that get the request id in the calls of RestClient,
	 * RestTemplate and WebClient: names of hosts, '*.example.com' for all below a domain,
	 * or '*' for every host. None by default.
	 */
	public record RequestIdProperties(@DefaultValue("true") boolean enabled, @DefaultValue("Req-Id") String header,
			@DefaultValue List<String> propagateTo) {

		private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

		private static final Pattern HOST = Pattern.compile("\\*|(\\*\\.)?[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+]");

		/**
		 * Validates the properties.
		 * @throws IllegalArgumentException if the header is not the name of a header, or
		 * a host is not the name of a host
		 */
		public RequestIdProperties {
			if (!HEADER.matcher(header).matches()) {
				throw new InvalidLockPropertyException("request-id.header",
						"must be the name of a header, was '%s'".formatted(header), "Set it to Req-Id, for example.");
			}
			for (String host : propagateTo) {
				if (!HOST.matcher(host).matches()) {
					throw new InvalidLockPropertyException("request-id.propagate-to",
							"must name hosts, such as 'stock', '*.example.com' or '*', without scheme and port, was '%s'"
								.formatted(host),
							"List the names of hosts, or write * for all.");
				}
			}
			propagateTo = List.copyOf(propagateTo);
		}

	}

	/**
	 * The store on Redis.
	 *
	 * @param template The name of the StringRedisTemplate bean to use, when there are
	 * several and none is primary.
	 * @param replicas How many replicas of the master must acknowledge a lock before it
	 * is granted.
	 * @param replicaCount How many replicas the master should have. By default, the
	 * largest number that this instance has seen, and at least one.
	 * @param replicaTimeout How long to wait for the acknowledgement of replicas; shorter
	 * than the command timeout.
	 * @param redlock Several independent masters in place of that template's server.
	 */
	public record Redis(@Nullable String template, @DefaultValue("none") ReplicaAcknowledgement replicas,
			@Nullable Integer replicaCount, @DefaultValue("500ms") Duration replicaTimeout,
			@DefaultValue Redlock redlock) {

		/**
		 * Validates the properties.
		 * @throws IllegalArgumentException if one is out of its range
		 */
		public Redis {
			if (replicaCount != null && replicaCount < 1) {
				throw new InvalidLockPropertyException("redis.replica-count",
						"must be at least 1, was %d".formatted(replicaCount),
						"Set it to the number of replicas that the master should have, or remove it.");
			}
			requireBetween("redis.replica-timeout", replicaTimeout, SHORTEST, LONGEST_ANSWER, "500ms, for example");
			if (replicas != ReplicaAcknowledgement.NONE && !redlock.nodes().isEmpty()) {
				throw new InvalidLockPropertyException("redis.replicas",
						"must be none with 'distributed-lock.redis.redlock.nodes', was %s: a majority of masters stands for the replicas"
							.formatted(replicas),
						"Remove one of them: replicas belong to one master, and the nodes of Redlock have none.");
			}
		}

	}

	/**
	 * How many replicas must acknowledge a lock.
	 */
	public enum ReplicaAcknowledgement {

		/**
		 * None: what the master grants is granted.
		 */
		NONE,

		/**
		 * At least one.
		 */
		ONE,

		/**
		 * More than half of the replicas, the master not counted.
		 */
		MAJORITY,

		/**
		 * Every one.
		 */
		ALL

	}

	/**
	 * Several independent masters, a majority of which has a lock.
	 *
	 * @param nodes Where the masters are: at least three and an odd number, as
	 * 'host:port' or 'redis://user:password@host:port/database'. Client, credentials and
	 * encryption are those of the template unless the address says otherwise.
	 * @param timeout How long one master may take to answer. Much shorter than the
	 * leases.
	 */
	public record Redlock(@DefaultValue List<String> nodes, @DefaultValue("200ms") Duration timeout) {

		/**
		 * Validates the properties.
		 * @throws IllegalArgumentException if the timeout is not positive, or the number
		 * of nodes is even or below three
		 */
		public Redlock {
			nodes = List.copyOf(nodes);
			if (!nodes.isEmpty() && (nodes.size() < 3 || nodes.size() % 2 == 0)) {
				throw new InvalidLockPropertyException("redis.redlock.nodes",
						"must be at least 3 and an odd number, was %d".formatted(nodes.size()),
						"List 3 or 5 independent masters, as in redis1:6379, redis2:6379, redis3:6379: an even number tolerates no more failures than one less.");
			}
			requireBetween("redis.redlock.timeout", timeout, SHORTEST, LONGEST_ANSWER, "200ms, for example");
		}

	}

}
