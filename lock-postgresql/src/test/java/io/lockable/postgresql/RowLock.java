package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A transaction that locks the row of a key.
 */
final class RowLock implements AutoCloseable {

	private final Connection connection;

	private RowLock(Connection connection) {
		this.connection = connection;
	}

	/**
	 * Locks the row of a key.
	 * @param server the server
	 * @param key the full name of a lock that has a row
	 * @param mode such as {@code FOR UPDATE}
	 * @return the transaction
	 */
	static RowLock of(PostgresTestServer server, String key, String mode) {
		try {
			Connection connection = server.pool().getConnection();
			connection.setAutoCommit(false);
			try (Statement statement = connection.createStatement()) {
				statement.executeQuery("SELECT FROM lockable_lock WHERE key = '" + key + "' " + mode);
			}
			return new RowLock(connection);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	boolean isHeld() {
		try {
			return !this.connection.isClosed();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			if (isHeld()) {
				this.connection.rollback();
				this.connection.close();
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
