package io.lockable.benchmark.peer;

/**
 * The server that peers use.
 */
public enum Store {

	/** Redis. */
	REDIS,

	/** PostgreSQL. */
	POSTGRESQL

}
