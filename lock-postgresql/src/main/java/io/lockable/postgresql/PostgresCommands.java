package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import javax.sql.DataSource;

import io.lockable.LockStoreException;

/**
 * Runs each command on a connection and in a transaction of its own. Blocks.
 *
 * <p>
 * The server cancels a command after the command timeout. If the server is silent, the
 * connection is closed a second later.
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
	 * Returns a connection in autocommit, which the caller closes.
	 * @return the connection
	 * @throws SQLException if there is none
	 */
	Connection connect() throws SQLException {
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
		String parameters = String.join(", ", Collections.nCopies(arguments.length, "?"));
		return run("SELECT lockable_" + function + "(" + parameters + ")", reader, arguments);
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
		try (Connection connection = connect()) {
			int before = connection.getNetworkTimeout();
			connection.setNetworkTimeout(Runnable::run, (this.timeoutSeconds + 1) * 1000);
			T answer;
			try (PreparedStatement statement = connection.prepareStatement(sql)) {
				statement.setQueryTimeout(this.timeoutSeconds);
				for (int i = 0; i < arguments.length; i++) {
					statement.setObject(i + 1, argument(connection, arguments[i]));
				}
				try (ResultSet rows = statement.executeQuery()) {
					answer = reader.read(rows);
				}
			}
			connection.setNetworkTimeout(Runnable::run, before);
			return CompletableFuture.completedFuture(answer);
		}
		catch (SQLException ex) {
			return CompletableFuture.failedFuture(PostgresFailures.translate(ex));
		}
	}

	private static Object argument(Connection connection, Object argument) throws SQLException {
		return (argument instanceof Object[] array)
				? connection.createArrayOf((array instanceof String[]) ? "text" : "bigint", array) : argument;
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
