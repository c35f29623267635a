package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

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
		LockConfigurationException.throwIf(replicaCount != null && replicaCount < 1, "redis.replica-count",
				"must be at least 1, was %d".formatted(replicaCount),
				"Set it to the number of replicas that the master should have, or remove it.");
		DistributedLockProperties.requireBetween("redis.replica-timeout", replicaTimeout,
				DistributedLockProperties.SHORTEST, DistributedLockProperties.LONGEST_ANSWER, "500ms, for example");
		LockConfigurationException.throwIf(replicas != ReplicaAcknowledgement.NONE && !redlock.nodes().isEmpty(),
				"redis.replicas",
				("must be none with 'distributed-lock.redis.redlock.nodes', was %s: a majority "
						+ "replaces the replicas")
					.formatted(replicas),
				"Remove one of the two: replicas belong to one master, and Redlock uses independent masters.");
	}

	/**
	 * Validates these properties against those of all stores.
	 * @param store the store of the locks
	 * @param lease the default lease
	 * @param commandTimeout the time limit for one answer
	 * @throws io.lockable.LockException if they contradict each other
	 */
	void check(Store store, Duration lease, Duration commandTimeout) {
		boolean replicated = this.replicas != ReplicaAcknowledgement.NONE;
		String other = store.name().toLowerCase(Locale.ROOT);
		LockConfigurationException.throwIf(replicated && store != Store.REDIS, "redis.replicas",
				"must be none with 'distributed-lock.store=%s', was %s: only Redis has such replicas".formatted(other,
						this.replicas),
				"Set distributed-lock.redis.replicas=none beside distributed-lock.store=%s, or keep the locks in Redis."
					.formatted(other));
		LockConfigurationException.throwIf(replicated && this.replicaTimeout.compareTo(commandTimeout) >= 0,
				"redis.replica-timeout",
				"must be shorter than 'distributed-lock.command-timeout' of %s, was %s"
					.formatted(DurationText.of(commandTimeout), DurationText.of(this.replicaTimeout)),
				"Set it below the command timeout, which limits the whole answer, or raise the command timeout.");
		Duration timeout = this.redlock.timeout();
		LockConfigurationException.throwIf(
				!this.redlock.nodes().isEmpty()
						&& (timeout.compareTo(lease) >= 0 || timeout.compareTo(commandTimeout) >= 0),
				"redis.redlock.timeout",
				"must be shorter than 'distributed-lock.lease' of %s and 'distributed-lock.command-timeout' of %s, was %s"
					.formatted(DurationText.of(lease), DurationText.of(commandTimeout), DurationText.of(timeout)),
				"Set it to a small part of the lease, such as 200ms: the lease runs while an "
						+ "acquisition waits for a slow master.");
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
		 * @throws io.lockable.LockException if the timeout is out of range
		 */
		public Redlock {
			nodes = List.copyOf(nodes);
			DistributedLockProperties.requireBetween("redis.redlock.timeout", timeout,
					DistributedLockProperties.SHORTEST, DistributedLockProperties.LONGEST_ANSWER, "200ms, for example");
		}

	}

}
