package io.lockable.autoconfigure.store;

import java.util.Collection;

import io.lockable.LockException;
import io.lockable.LogSafe;

/**
 * An exception at startup for locks without a store.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class MissingLockStoreException extends LockException {

	private static final String TESTS = "Put @AutoConfigureDistributedLocks of lock-test on the test, or set "
			+ "distributed-lock.store=memory.";

	private static final String MEMORY = "For tests or a single application instance, set "
			+ "distributed-lock.store=memory.";

	private final String description;

	private final String action;

	MissingLockStoreException(String description, String action) {
		super(description + " " + action);
		this.description = LogSafe.of(description);
		this.action = action;
	}

	/**
	 * Returns the exception for a class path without Redis.
	 * @return the exception
	 */
	public static MissingLockStoreException libraryMissing() {
		return new MissingLockStoreException(
				"Distributed locks are stored in Redis (distributed-lock.store=redis), but lock-redis or "
						+ "spring-data-redis is missing from the class path.",
				"Add lock-spring-boot-starter, which brings both. " + MEMORY);
	}

	static MissingLockStoreException templateMissing(Collection<String> connectionFactories) {
		if (connectionFactories.isEmpty()) {
			return new MissingLockStoreException(
					"Distributed locks are stored in Redis, but Redis is not configured: there is no StringRedisTemplate bean.",
					"Add spring-boot-starter-data-redis and set spring.data.redis.host (or .url). " + MEMORY);
		}
		return new MissingLockStoreException(
				("Distributed locks are stored in Redis, but no StringRedisTemplate bean exists. Several "
						+ "RedisConnectionFactory beans qualify for one: %s.")
					.formatted(String.join(", ", connectionFactories)),
				"Define a StringRedisTemplate bean for the server that stores the locks, or mark one "
						+ "RedisConnectionFactory as @Primary.");
	}

	static MissingLockStoreException templateUnknown(String name, Collection<String> candidates) {
		return new MissingLockStoreException(
				"distributed-lock.redis.template names the bean '%s', which is not a StringRedisTemplate."
					.formatted(name),
				"Set it to one of these beans: %s.".formatted(String.join(", ", candidates)));
	}

	static MissingLockStoreException templateAmbiguous(Collection<String> candidates) {
		return new MissingLockStoreException(
				"Distributed locks are stored in Redis, but there are several StringRedisTemplate beans, and none is primary: %s."
					.formatted(String.join(", ", candidates)),
				"Set distributed-lock.redis.template to the bean whose server stores the locks, or mark it "
						+ "as @Primary.");
	}

	static MissingLockStoreException connectionMissing() {
		return new MissingLockStoreException(
				"Distributed locks are stored in Redis, but the StringRedisTemplate has no connection factory, which is typical of a mock.",
				TESTS);
	}

	static MissingLockStoreException mastersUnusable(IllegalArgumentException cause) {
		MissingLockStoreException exception = new MissingLockStoreException(
				"distributed-lock.redis.redlock.nodes cannot be used: %s.".formatted(cause.getMessage()),
				"Set it to an odd number, at least 3, of independent Redis masters, as in redis1:6379, redis2:6379, redis3:6379.");
		exception.initCause(cause);
		return exception;
	}

	/**
	 * Returns the description of the problem.
	 * @return the description
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Returns the correction.
	 * @return the action
	 */
	public String getAction() {
		return this.action;
	}

}
