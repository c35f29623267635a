package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.lockable.autoconfigure.DistributedLockProperties.Store;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The store on Redis.
 *
 * @param template Name of the StringRedisTemplate bean to use when there are several and
 * none is primary.
 * @param replicas Number of replicas that must acknowledge a lock before it is granted.
 * @param replicaCount Number of replicas that the master has. By default, the largest
 * number that this instance has seen, and at least one.
 * @param replicaTimeout Maximum time to wait for the acknowledgement of replicas. Must be
 * shorter than the command timeout.
 * @param redlock Several independent masters instead of one server.
 * @since 0.1.0
 */
public record RedisProperties(@Nullable String template, @DefaultValue("none") ReplicaAcknowledgement replicas,
		@Nullable Integer replicaCount, @DefaultValue("500ms") Duration replicaTimeout, @DefaultValue Redlock redlock) {

	/**
	 * Validates the properties.
	 * @throws io.lockable.LockException if a value is out of its range
	 */
	public RedisProperties {
		if (replicaCount != null && replicaCount < 1) {
			throw LockConfigurationException.ofProperty("redis.replica-count",
					"must be at least 1, was %d".formatted(replicaCount),
					"Set it to the number of replicas that the master should have, or remove it.");
		}
		DistributedLockProperties.requireBetween("redis.replica-timeout", replicaTimeout,
				DistributedLockProperties.SHORTEST, DistributedLockProperties.LONGEST_ANSWER, "500ms, for example");
		if (replicas != ReplicaAcknowledgement.NONE && !redlock.nodes().isEmpty()) {
			throw LockConfigurationException.ofProperty("redis.replicas",
					("must be none with 'distributed-lock.redis.redlock.nodes', was %s: a majority "
							+ "replaces the replicas")
						.formatted(replicas),
					"Remove one of the two: replicas belong to one master, and Redlock uses independent masters.");
		}
	}

	/**
	 * Validates these properties against those of all stores.
	 * @param store the store of the locks
	 * @param lease the default lease
	 * @param commandTimeout the time limit for one answer
	 * @param retain the default retention
	 * @throws io.lockable.LockException if they contradict each other
	 */
	void check(Store store, Duration lease, Duration commandTimeout, Duration retain) {
		if (this.replicas != ReplicaAcknowledgement.NONE) {
			checkReplicas(store, commandTimeout, retain);
		}
		if (!this.redlock.nodes().isEmpty()) {
			checkRedlock(lease, commandTimeout, retain);
		}
	}

	private void checkReplicas(Store store, Duration commandTimeout, Duration retain) {
		if (store == Store.MEMORY) {
			throw LockConfigurationException.ofProperty("redis.replicas",
					"must be none with 'distributed-lock.store=memory', was %s: the memory of the JVM has no replicas"
						.formatted(this.replicas),
					"Set distributed-lock.redis.replicas=none beside distributed-lock.store=memory, or keep the locks in Redis.");
		}
		if (this.replicaTimeout.compareTo(commandTimeout) >= 0) {
			throw LockConfigurationException.ofProperty("redis.replica-timeout",
					"must be shorter than 'distributed-lock.command-timeout' of %s, was %s"
						.formatted(DurationText.of(commandTimeout), DurationText.of(this.replicaTimeout)),
					"Set it below the command timeout, which limits the whole answer, or raise the command timeout.");
		}
		DistributedLockProperties.requireNoRetain(retain,
				"'distributed-lock.redis.replicas' of %s".formatted(this.replicas),
				"set distributed-lock.redis.replicas=none");
	}

	private void checkRedlock(Duration lease, Duration commandTimeout, Duration retain) {
		Duration timeout = this.redlock.timeout();
		if (timeout.compareTo(lease) >= 0 || timeout.compareTo(commandTimeout) >= 0) {
			throw LockConfigurationException.ofProperty("redis.redlock.timeout",
					"must be shorter than 'distributed-lock.lease' of %s and 'distributed-lock.command-timeout' of %s, was %s"
						.formatted(DurationText.of(lease), DurationText.of(commandTimeout), DurationText.of(timeout)),
					"Set it to a small part of the lease, such as 200ms: the lease runs while an "
							+ "acquisition waits for a slow master.");
		}
		DistributedLockProperties.requireNoRetain(retain, "'distributed-lock.redis.redlock.nodes'",
				"remove the nodes and keep the locks on one Redis");
	}

	/**
	 * The share of the replicas that must acknowledge a lock.
	 */
	public enum ReplicaAcknowledgement {

		/**
		 * No replica: a lock counts as soon as the master has granted it.
		 */
		NONE,

		/**
		 * At least one replica.
		 */
		ONE,

		/**
		 * More than half of the replicas, without the master.
		 */
		MAJORITY,

		/**
		 * Every replica.
		 */
		ALL

	}

	/**
	 * Several independent masters, of which a majority must grant a lock.
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
		 * @throws io.lockable.LockException if the timeout is not positive, or the number
		 * of nodes is even or below three
		 */
		public Redlock {
			nodes = List.copyOf(nodes);
			if (!nodes.isEmpty() && (nodes.size() < 3 || nodes.size() % 2 == 0)) {
				throw LockConfigurationException.ofProperty("redis.redlock.nodes",
						"must be at least 3 and an odd number, was %d".formatted(nodes.size()),
						"List 3 or 5 independent masters, as in redis1:6379, redis2:6379, redis3:6379. An "
								+ "even number tolerates no more failures than the odd number below it.");
			}
			DistributedLockProperties.requireBetween("redis.redlock.timeout", timeout,
					DistributedLockProperties.SHORTEST, DistributedLockProperties.LONGEST_ANSWER, "200ms, for example");
		}

	}

}
