package io.lockable.postgresql;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

import io.lockable.LockStoreException;
import io.lockable.text.LogSafe;

/**
 * Translates failures into {@link LockStoreException}s that name the remedy.
 */
final class PostgresFailures {

	// The server starts, shuts down, is a standby, ended a deadlock, or has no free
	// connection.
	private static final Set<String> RETRYABLE = Set.of("57P03", "57P01", "57P02", "25006", "40P01", "40001", "53300");

	private static final String BUSY = ". Cure: if the server is reachable, a larger pool, which is distributed-lock.postgresql.pool-size or that of your DataSource";

	private PostgresFailures() {
	}

	/**
	 * Returns whether another transaction has locked the row of the lock.
	 * @param failure the failure
	 * @return whether the server waited for the row in vain
	 */
	static boolean isBlocked(Exception failure) {
		return failure instanceof SQLException sql && "55P03".equals(sql.getSQLState());
	}

	/**
	 * Returns whether a connection is lost, or its server shuts down.
	 * @param failure the failure of a command
	 * @return whether further commands on the connection fail, too
	 */
	static boolean isConnectionLost(SQLException failure) {
		String state = String.valueOf(failure.getSQLState());
		return state.startsWith("08") || state.startsWith("57P");
	}

	/**
	 * Returns whether the server accepts no writes.
	 * @param failure the failure of a command
	 * @return whether the connection leads to a standby
	 */
	static boolean isReadOnly(SQLException failure) {
		return "25006".equals(failure.getSQLState());
	}

	static LockStoreException translate(Exception failure) {
		if (!(failure instanceof SQLException sql)) {
			return new LockStoreException("The DataSource failed: " + LogSafe.of(String.valueOf(failure.getMessage())),
					LogSafe.of(failure));
		}
		String state = String.valueOf(sql.getSQLState());
		String reason = LogSafe.of(reason(sql));
		return new LockStoreException("PostgreSQL failed: " + reason + (isPoolBusy(sql) ? BUSY : cure(state)),
				LogSafe.of(failure), RETRYABLE.contains(state));
	}

	private static boolean isPoolBusy(SQLException failure) {
		return failure instanceof SQLTransientConnectionException && failure.getCause() == null;
	}

	// A pool names the failure to connect as the cause only.
	private static String reason(SQLException failure) {
		return (failure.getCause() instanceof SQLException cause)
				? failure.getMessage() + " (" + cause.getMessage() + ")" : String.valueOf(failure.getMessage());
	}

	private static String cure(String state) {
		return switch (state) {
			case "42P01", "42883" -> ". The tables and functions of locks are missing. Cure: run "
					+ "io/lockable/postgresql/schema.sql of lock-postgresql in a schema of the search_path, or let Spring "
					+ "Boot run it by distributed-lock.postgresql.initialize-schema=true";
			case "42501" ->
				". The database user lacks a permission that locks need. Cure: GRANT SELECT, INSERT, UPDATE, "
						+ "DELETE ON lockable_lock, lockable_share, lockable_waiter TO <user>, and EXECUTE on the functions";
			case "42P05", "26000" -> ". Cure: prepareThreshold=0 in the URL, if a pooler shares connections";
			case "25000" -> ". Cure: use READ COMMITTED for transactions under a lock";
			case "57014" ->
				". The server did not finish the command in time. Cure: find the transaction that blocks it "
						+ "with pg_blocking_pids";
			case "25006" ->
				". The server is read-only. Cure: connect to the primary, for example by targetServerType=primary";
			case "22P05", "22021" -> ". Cure: a database with the encoding UTF8";
			case "28000", "28P01", "3D000" -> ". Cure: check user, password and database of the DataSource";
			case "53300" -> ". Cure: a smaller pool, or a larger max_connections";
			default ->
				state.startsWith("08") ? ". Cure: check that the server runs, and the URL of the DataSource" : "";
		};
	}

}
