package io.lockable.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The store on PostgreSQL.
 *
 * @param dataSource Name of the DataSource bean of the database that stores the locks,
 * when there are several and none is primary.
 * @param poolSize Number of connections in the pool for locks, from 3 to 100. 0 uses the
 * DataSource itself, where business transactions may leave no connection for a release.
 * @param initializeSchema Whether to create the tables and functions of locks at startup,
 * or to replace those of an earlier version.
 * @param fence Whether a commit of the DataSource fails if its thread has lost a lock.
 * Until the transaction ends, no other owner can acquire the thread's locks.
 * @since 0.1.0
 */
public record PostgresqlProperties(@Nullable String dataSource, @DefaultValue("8") int poolSize,
		@DefaultValue("false") boolean initializeSchema, @DefaultValue("true") boolean fence) {

	private static final int SMALLEST = 3;

	private static final int LARGEST = 100;

	/**
	 * Validates the properties.
	 * @throws io.lockable.LockException if a value is out of its range
	 */
	public PostgresqlProperties {
		LockConfigurationException.throwIf(poolSize != 0 && (poolSize < SMALLEST || poolSize > LARGEST),
				"postgresql.pool-size",
				"must be 0, or between %d and %d, was %d".formatted(SMALLEST, LARGEST, poolSize),
				"Set it to 8, for example: one connection listens, one probes, and the others lock and release.");
	}

}
