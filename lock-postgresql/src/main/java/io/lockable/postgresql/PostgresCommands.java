package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Runs each command on a connection and in a transaction of its own. Blocks.
 *
 * <p>
 * The driver cancels a command after the command timeout. If the server is silent, the
 * connection is closed a second later. The driver cancels one command at a time, and that
 * one then waits for the {@code cancelSignalTimeout} of the driver.
 */
final class PostgresCommands {

	private final DataSource dataSource;

	private final int timeoutSeconds;

	PostgresCommands(DataSource dataSource, Duration timeout) {
		this.dataSource = dataSource;
		this.timeoutSeconds = Math.toIntExact(timeout.plusMillis(999).toSeconds());
	}

	int timeoutSeconds() {
		return this.timeoutSeconds;
	}

	/**
	 * Uses a connection in autocommit, with a network timeout. Keeps an interrupt of the
	 * thread for later.
	 * @param <T> the type of the result
	 * @param use uses the connection
	 * @return the result
	 * @throws SQLException if there is no connection, or the use failed
	 */
	<T> T connected(Use<T> use) throws SQLException {
		// An interrupted thread gets no connection from a pool, and its socket may close.
		boolean interrupted = Thread.interrupted();
		try {
			return use(use);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private <T> T use(Use<T> use) throws SQLException {
		try (Connection connection = connect()) {
			int previous = connection.getNetworkTimeout();
			connection.setNetworkTimeout(Runnable::run, (this.timeoutSeconds + 1) * 1000);
			boolean open = false;
			try {
				T result = use.of(connection);
				open = true;
				return result;
			}
			catch (SQLException ex) {
				open = !PostgresFailures.isConnectionLost(ex) && !PostgresFailures.isReadOnly(ex);
				if (PostgresFailures.isReadOnly(ex)) {
					// A pool would keep the connection to a former primary.
					connection.abort(Runnable::run);
				}
				throw ex;
			}
			finally {
				if (open) {
					connection.setNetworkTimeout(Runnable::run, previous);
				}
			}
		}
	}

	private Connection connect() throws SQLException {
		Connection connection = this.dataSource.getConnection();
		if (!connection.getAutoCommit()) {
			connection.close();
			throw new SQLException(
					"a connection of the DataSource is not in autocommit, so a lock could be part of the "
							+ "caller's transaction. Cure: a DataSource for locks alone, with autocommit and without a "
							+ "transaction-aware proxy");
		}
		return connection;
	}

	/**
	 * Calls a function of locks.
	 * @param <T> the type of the answer
	 * @param function the name of the function, without its prefix
	 * @param reader reads the answer, before the first row
	 * @param arguments the arguments; an array becomes an array of PostgreSQL
	 * @return the answer, or a {@link LockStoreException}
	 */
	<T> CompletionStage<T> call(String function, Reader<T> reader, Object... arguments) {
		return run(select(function, arguments), reader, arguments);
	}

	/**
	 * Calls a function that locks a row, which another transaction may have locked.
	 * @param <T> the type of the answer
	 * @param blocked the answer if the row remains locked
	 * @param function the name of the function, without its prefix
	 * @param reader reads the answer, before the first row
	 * @param arguments the arguments; an array becomes an array of PostgreSQL
	 * @return the answer, or a {@link LockStoreException}
	 */
	<T> CompletionStage<T> callUnlessBlocked(Supplier<T> blocked, String function, Reader<T> reader,
			Object... arguments) {
		return run(blocked, select(function, arguments), reader, arguments);
	}

	private static String select(String function, Object[] arguments) {
		return "SELECT lockable_" + function + "(" + String.join(", ", Collections.nCopies(arguments.length, "?"))
				+ ")";
	}

	/**
	 * Runs a query.
	 * @param <T> the type of the answer
	 * @param sql the query
	 * @param reader reads the answer, before the first row
	 * @param arguments the arguments; an array becomes an array of PostgreSQL
	 * @return the answer, or a {@link LockStoreException}
	 */
	<T> CompletionStage<T> run(String sql, Reader<T> reader, Object... arguments) {
		return run(null, sql, reader, arguments);
	}

	private <T> CompletionStage<T> run(@Nullable Supplier<T> blocked, String sql, Reader<T> reader,
			Object[] arguments) {
		try {
			return CompletableFuture
				.completedFuture(connected((connection) -> query(connection, sql, reader, arguments)));
		}
		catch (SQLException | RuntimeException ex) {
			return (blocked != null && PostgresFailures.isBlocked(ex))
					? CompletableFuture.completedFuture(blocked.get())
					: CompletableFuture.failedFuture(PostgresFailures.translate(ex));
		}
	}

	/**
	 * Runs a query on a connection.
	 * @param <T> the type of the answer
	 * @param connection the connection, which stays open
	 * @param sql the query
	 * @param reader reads the answer, from before the first row
	 * @param arguments the arguments; an array becomes a PostgreSQL array
	 * @return the answer
	 * @throws SQLException if the query failed, or the server warned
	 */
	<T> T query(Connection connection, String sql, Reader<T> reader, Object... arguments) throws SQLException {
		connection.clearWarnings();
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setQueryTimeout(this.timeoutSeconds);
			for (int i = 0; i < arguments.length; i++) {
				statement.setObject(i + 1, argument(connection, arguments[i]));
			}
			try (ResultSet rows = statement.executeQuery()) {
				T answer = reader.read(rows);
				requireNoWarning(statement.getWarnings());
				requireNoWarning(connection.getWarnings());
				return answer;
			}
		}
	}

	// The class 00 is a notice. The server only warns if it has committed without its
	// synchronous standby.
	private static void requireNoWarning(@Nullable SQLWarning warning) throws SQLException {
		if (warning != null && !warning.getSQLState().startsWith("00")) {
			throw new SQLException("the server warned, so the command counts as failed: " + warning.getMessage(),
					warning.getSQLState(), warning);
		}
	}

	private static Object argument(Connection connection, Object argument) throws SQLException {
		return (argument instanceof Object[] array)
				? connection.createArrayOf((array instanceof String[]) ? "text" : "bigint", array) : argument;
	}

	/**
	 * Uses a connection.
	 *
	 * @param <T> the type of the result
	 */
	@FunctionalInterface
	interface Use<T> {

		T of(Connection connection) throws SQLException;

	}

	/**
	 * Reads the answer to a query.
	 *
	 * @param <T> the type of the answer
	 */
	@FunctionalInterface
	interface Reader<T> {

		T read(ResultSet rows) throws SQLException;

	}

}
