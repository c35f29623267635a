package io.lockable.autoconfigure;

import java.time.Duration;

import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.OnFailure;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.spring.LockSettings;
import io.lockable.spring.Reaction;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of locks, {@code distributed-lock.*}.
 *
 * @param enabled Whether locks are active. When false, annotated methods run without a
 * lock, and a warning names their beans.
 * @param store Where locks are stored. By default in Redis, or in PostgreSQL if only
 * 'lock-postgresql' is on the class path. 'memory' keeps them in this JVM, for tests and
 * single-instance applications.
 * @param prefix Prefix of the keys of the locks of annotated methods.
 * @param lease Lease of a lock without renewal, from 10ms to 365d. The lock of a crashed
 * holder is free after this time.
 * @param waitTime Maximum time to wait for a held lock. Zero means exactly one attempt.
 * @param renewal Whether the lease of a live holder is renewed, each time a third of it
 * has passed. The attribute 'expire' of an annotation turns renewal off.
 * @param maxHold Maximum time for which renewal keeps a lock, at least the lease.
 * Unlimited by default.
 * @param release Whether a release waits for the answer of Redis.
 * @param retain Time for which an instance retains a lock that it has released, from 0s
 * to 365d. Its next acquisition needs no command. Another instance that requests the lock
 * receives it.
 * @param onFailure Outcome of an annotated call when another owner holds the lock until
 * the wait time is over. Scheduled methods skip by default.
 * @param inTransaction Release of an annotated method's lock inside a transaction of its
 * caller. 'keep' waits until the transaction completes, 'release' until the method
 * returns.
 * @param check Reactions to problems found at startup.
 * @param events Lock events that are published as application events. 'failures' are lost
 * locks, failed renewals and failed releases.
 * @param order Order of the lock aspect. By default, the lock surrounds transactions and
 * nearly all other aspects.
 * @param commandTimeout Maximum time to wait for one answer of Redis.
 * @param recallTimeout Maximum time that an acquisition without a wait time waits for the
 * answer of an instance that may retain the lock.
 * @param waiterTimeout Time after which a silent waiter counts as dead, at least 100ms. A
 * lock that was handed to a dead waiter is free after this time, because a hand-off sets
 * no longer lease at first. Set the same value on all instances. On PostgreSQL, it is
 * always 25s.
 * @param shutdownTimeout Maximum time that a shutdown waits for methods that hold a lock.
 * @param warnAfterHold Time after which one WARN reports a lock that is still held, with
 * the stack of the thread that holds it. Off by default.
 * @param warnAfterWait Time after which one WARN reports a lock that is still waited for,
 * with the stack of a thread of the same instance that holds it. Off by default.
 * @param deadlock Reaction to a deadlock. 'report' logs one WARN with all calls, and
 * 'break' also fails the youngest one.
 * @param requestId The request id at the start of owner tokens.
 * @param web The responses of web applications.
 * @param redis The store on Redis.
 * @param postgresql The store on PostgreSQL.
 * @param actuator The endpoint locks.
 * @param integration The lock registry for Spring Integration.
 * @param shedlock The lock provider for ShedLock.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Store store,
		@DefaultValue("disLock:") String prefix, @DefaultValue("10s") Duration lease,
		@DefaultValue("0s") Duration waitTime, @DefaultValue("true") boolean renewal, @Nullable Duration maxHold,
		@DefaultValue("confirmed") ReleaseMode release, @DefaultValue("0s") Duration retain,
		@DefaultValue("throw") OnFailure onFailure, @DefaultValue("keep") InTransaction inTransaction,
		@DefaultValue Check check, @DefaultValue("failures") Events events,
		@DefaultValue("" + LockSettings.DEFAULT_ORDER) int order, @DefaultValue("3s") Duration commandTimeout,
		@DefaultValue("100ms") Duration recallTimeout, @DefaultValue("3s") Duration waiterTimeout,
		@DefaultValue("5s") Duration shutdownTimeout, @Nullable Duration warnAfterHold,
		@Nullable Duration warnAfterWait, @DefaultValue("report") DeadlockAction deadlock,
		@NestedConfigurationProperty @DefaultValue RequestIdProperties requestId, @DefaultValue Web web,
		@NestedConfigurationProperty @DefaultValue RedisProperties redis,
		@NestedConfigurationProperty @DefaultValue PostgresqlProperties postgresql, @DefaultValue Actuator actuator,
		@DefaultValue Integration integration, @DefaultValue ShedLock shedlock) {

	static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration MIN_WAITER_TIMEOUT = Duration.ofMillis(100);

	private static final Duration SHORTEST_WARNING = Duration.ofMillis(100);

	static final Duration LONGEST_ANSWER = Duration.ofHours(1);

	private static final Duration LONGEST_SHUTDOWN = Duration.ofDays(1);

	/**
	 * Validates the properties.
	 * @throws io.lockable.LockException if a value is out of its range
	 */
	public DistributedLockProperties {
		options(lease, waitTime, renewal, maxHold, release, retain);
		requireBetween("recall-timeout", recallTimeout, SHORTEST, LONGEST_ANSWER, "100ms, for example");
		requireBetween("command-timeout", commandTimeout, SHORTEST, LONGEST_ANSWER, "3s, for example");
		requireBetween("waiter-timeout", waiterTimeout, MIN_WAITER_TIMEOUT, LONGEST_ANSWER,
				"3s, for example, and to the same in all instances");
		requireBetween("shutdown-timeout", shutdownTimeout, Duration.ZERO, LONGEST_SHUTDOWN, "5s, for example");
		requireWarning("warn-after-hold", warnAfterHold);
		requireWarning("warn-after-wait", warnAfterWait);
		redis.check(store, lease, commandTimeout);
	}

	private static void requireWarning(String property, @Nullable Duration time) {
		if (time != null) {
			requireBetween(property, time, SHORTEST_WARNING, LockOptions.MAX_LEASE, "30s, for example");
		}
	}

	static void requireBetween(String property, Duration value, Duration min, Duration max, String example) {
		LockConfigurationException.throwIf(
				value.compareTo(min) < 0 || value.compareTo(max) > 0, property, "must be between %s and %s, was %s"
					.formatted(DurationText.of(min), DurationText.of(max), DurationText.of(value)),
				"Set it to %s.".formatted(example));
	}

	/**
	 * Returns the default options of every lock.
	 * @return the options
	 */
	public LockOptions toOptions() {
		return options(this.lease, this.waitTime, this.renewal, this.maxHold, this.release, this.retain);
	}

	private static LockOptions options(Duration lease, Duration waitTime, boolean renewal, @Nullable Duration maxHold,
			ReleaseMode release, Duration retain) {
		try {
			return LockOptions.defaults()
				.withLease(lease)
				.withWaitTime(waitTime)
				.withRenewal(renewal ? Renewal.ON : Renewal.OFF)
				.withMaxHold((maxHold != null) ? maxHold : LockOptions.UNLIMITED)
				.withRelease(release)
				.withRetain(retain);
		}
		catch (IllegalArgumentException ex) {
			throw LockConfigurationException.ofOption(ex);
		}
	}

	/**
	 * Returns the settings of annotated methods.
	 * @return the settings
	 */
	public LockSettings toSettings() {
		return new LockSettings(this.prefix, toOptions(), this.onFailure, this.inTransaction, this.order,
				this.check.neverLocked());
	}

	/**
	 * The place of the locks.
	 */
	public enum Store {

		/**
		 * In Redis, shared by all instances.
		 */
		REDIS,

		/**
		 * In PostgreSQL, shared by all instances.
		 */
		POSTGRESQL,

		/**
		 * In the memory of this instance: for tests, and for single-instance
		 * applications.
		 */
		MEMORY

	}

	/**
	 * Reactions to problems found at startup.
	 *
	 * @param neverLocked Reaction at startup to annotated methods that no proxy can lock:
	 * private, static and final methods, methods of final classes, and lifecycle methods.
	 * @param unreachableStore Reaction at startup to a Redis that is unreachable or
	 * refuses locks. Startup waits for its answer unless this is set to 'ignore'.
	 * @param unknownProperty Reaction at startup to unknown properties below
	 * 'distributed-lock'.
	 */
	public record Check(@DefaultValue("fail") Reaction neverLocked, @DefaultValue("ignore") Reaction unreachableStore,
			@DefaultValue("fail") Reaction unknownProperty) {

	}

	/**
	 * The lock events that are published as application events.
	 */
	public enum Events {

		/**
		 * Lost locks, failed renewals and failed releases.
		 */
		FAILURES,

		/**
		 * Also every acquisition and release.
		 */
		ALL,

		/**
		 * No event.
		 */
		NONE

	}

	/**
	 * The responses of web applications.
	 *
	 * @param problemDetails Whether controllers respond to exceptions of locks with
	 * problem details.
	 */
	public record Web(@DefaultValue("false") boolean problemDetails) {

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
