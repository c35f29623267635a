package io.lockable.autoconfigure.properties;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import io.lockable.DurationText;
import io.lockable.InTransaction;
import io.lockable.LockOptions;
import io.lockable.OnFailure;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.spring.LockSettings;
import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of locks, {@code distributed-lock.*}.
 *
 * @param enabled Whether locks are active. When false, annotated methods run without a
 * lock, and a warning names their beans.
 * @param store Where locks are stored. 'memory' keeps them in this JVM, for tests and
 * single-instance applications.
 * @param prefix Prefix of the Redis keys of the locks of annotated methods.
 * @param lease Lease of a lock without renewal, from 10ms to 365d. The lock of a crashed
 * holder is free after this time.
 * @param waitTime Maximum time to wait for a held lock. Zero means exactly one attempt.
 * @param renewal Whether the lease of a live holder is renewed, each time a third of it
 * has passed. The attribute 'expire' of an annotation turns renewal off.
 * @param maxHold Maximum time for which renewal keeps a lock. Unlimited by default.
 * @param release Whether a release waits for the answer of Redis.
 * @param onFailure What an annotated call does when another owner holds the lock until
 * the wait time is over. Scheduled methods skip by default.
 * @param inTransaction When an annotated method releases its lock inside a transaction of
 * its caller. 'keep' waits until the transaction completes, 'release' until the method
 * returns.
 * @param check Reactions to problems that are found at startup.
 * @param events Lock events that are published as application events. 'failures' are lost
 * locks, failed renewals and failed releases.
 * @param order Order of the lock aspect. By default, the lock surrounds transactions and
 * nearly all other aspects.
 * @param commandTimeout Maximum time to wait for one answer of Redis.
 * @param waiterTimeout Time without a sign of life after which a waiter counts as dead,
 * at least 100ms. A lock that was handed to a dead waiter is free after this time. Set
 * the same value in all instances.
 * @param shutdownTimeout Maximum time that a shutdown waits for methods that hold a lock.
 * @param requestId The request id, which owner tokens start with.
 * @param redis The store on Redis.
 * @param actuator The endpoint locks.
 * @param integration The lock registry for Spring Integration.
 * @param shedlock The lock provider for ShedLock.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Store store,
		@DefaultValue("disLock:") String prefix, @DefaultValue("10s") Duration lease,
		@DefaultValue("0s") Duration waitTime, @DefaultValue("on") Renewal renewal, @Nullable Duration maxHold,
		@DefaultValue("confirmed") ReleaseMode release, @DefaultValue("throw") Contention onFailure,
		@DefaultValue("keep") CallerTransaction inTransaction, @DefaultValue Check check,
		@DefaultValue("failures") Events events, @DefaultValue("" + LockSettings.DEFAULT_ORDER) int order,
		@DefaultValue("3s") Duration commandTimeout, @DefaultValue("3s") Duration waiterTimeout,
		@DefaultValue("5s") Duration shutdownTimeout, @DefaultValue RequestIdProperties requestId,
		@DefaultValue Redis redis, @DefaultValue Actuator actuator, @DefaultValue Integration integration,
		@DefaultValue ShedLock shedlock) {

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
					"must be none with 'distributed-lock.store=memory', was %s: the memory of the JVM has no replicas"
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
					"Set it to a small part of the lease, such as 200ms: the lease runs while an "
							+ "acquisition waits for a slow master.");
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
		return LockOptions.defaults()
			.withLease(this.lease)
			.withWaitTime(this.waitTime)
			.withRenewal(this.renewal)
			.withMaxHold((this.maxHold != null) ? this.maxHold : LockOptions.UNLIMITED)
			.withRelease(this.release);
	}

	/**
	 * Returns the settings of annotated methods.
	 * @return the settings
	 */
	public LockSettings toSettings() {
		return new LockSettings(this.prefix, toOptions(), this.onFailure.toOnFailure(),
				this.inTransaction.toInTransaction(), this.order, this.check.neverLocked(),
				this.check.selfInvocation());
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
	 * @param neverLocked Reaction at startup to annotated methods that no proxy can lock:
	 * private, static and final methods, methods of final classes, and lifecycle methods.
	 * @param selfInvocation Reaction at startup to calls of annotated methods within the
	 * same object, which bypass the proxy.
	 * @param unreachableStore Reaction at startup to a Redis that is unreachable or
	 * refuses locks. Startup waits for its answer unless this is set to 'ignore'.
	 * @param unknownProperty Reaction at startup to unknown properties below
	 * 'distributed-lock'.
	 */
	public record Check(@DefaultValue("fail") Reaction neverLocked, @DefaultValue("warn") Reaction selfInvocation,
			@DefaultValue("ignore") Reaction unreachableStore, @DefaultValue("fail") Reaction unknownProperty) {

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
	 * @param enabled Whether each servlet and reactive request has a request id.
	 * @param header Header that carries the request id, in requests and responses.
	 * @param propagateTo Hosts that receive the request id in calls by RestClient,
	 * RestTemplate and WebClient. A host is a name, '*.example.com' for a domain, or '*'
	 * for all. None by default.
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
	 * @param template Name of the StringRedisTemplate bean to use when there are several
	 * and none is primary.
	 * @param replicas Number of replicas that must acknowledge a lock before it is
	 * granted.
	 * @param replicaCount Number of replicas that the master has. By default, the largest
	 * number that this instance has seen, and at least one.
	 * @param replicaTimeout Maximum time to wait for the acknowledgement of replicas.
	 * Must be shorter than the command timeout.
	 * @param redlock Several independent masters in place of one server.
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
						("must be none with 'distributed-lock.redis.redlock.nodes', was %s: a majority "
								+ "replaces the replicas")
							.formatted(replicas),
						"Remove one of the two: replicas belong to one master, and Redlock uses independent masters.");
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
	 * @param nodes Addresses of independent masters, at least three and an odd number, as
	 * 'host:port' or 'redis://user:password@host:port/database'. Client, credentials and
	 * TLS of the template apply unless an address sets its own.
	 * @param timeout Maximum time to wait for one master. Must be shorter than the
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
						"List 3 or 5 independent masters, as in redis1:6379, redis2:6379, redis3:6379. An "
								+ "even number tolerates no more failures than the odd number below it.");
			}
			requireBetween("redis.redlock.timeout", timeout, SHORTEST, LONGEST_ANSWER, "200ms, for example");
		}

	}

	/**
	 * The endpoint {@code locks}.
	 *
	 * @param forceRelease The forced release of locks.
	 */
	public record Actuator(@DefaultValue ForceRelease forceRelease) {

	}

	/**
	 * The forced release of locks.
	 *
	 * @param enabled Whether the endpoint 'locks' can release a lock of another owner.
	 */
	public record ForceRelease(@DefaultValue("false") boolean enabled) {

	}

	/**
	 * The lock registry for Spring Integration.
	 *
	 * @param enabled Whether a LockRegistry bean for Spring Integration is created.
	 * @param prefix Prefix of the Redis keys of the registry's locks. By default,
	 * 'distributed-lock.prefix' followed by 'integration:'.
	 */
	public record Integration(@DefaultValue("true") boolean enabled, @Nullable String prefix) {

	}

	/**
	 * The lock provider for ShedLock.
	 *
	 * @param enabled Whether a LockProvider bean for ShedLock is created.
	 * @param prefix Prefix of the Redis keys of ShedLock's locks. By default,
	 * 'distributed-lock.prefix' followed by 'shedlock:'.
	 */
	public record ShedLock(@DefaultValue("true") boolean enabled, @Nullable String prefix) {

	}

}
