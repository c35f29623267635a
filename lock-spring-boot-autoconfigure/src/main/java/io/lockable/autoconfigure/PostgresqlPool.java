package io.lockable.autoconfigure;

import java.io.Closeable;
import java.io.IOException;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/**
 * The connections for locks: a pool of their own, so that a holder always finds one for
 * its release. Not a {@code DataSource} bean, which would compete with that of the
 * application.
 *
 * @param dataSource the connections for locks
 * @param application the {@code DataSource} of the application
 */
record PostgresqlPool(DataSource dataSource, DataSource application) {

	/**
	 * Opens a pool with the settings of the application's pool, unless its size is 0.
	 * @param application the pool of the application
	 * @param properties the properties of locks
	 * @return the connections for locks
	 */
	static PostgresqlPool of(DataSource application, DistributedLockProperties properties) {
		if (properties.postgresql().poolSize() == 0) {
			return new PostgresqlPool(application, application);
		}
		// A routing DataSource has several pools, of which none can be chosen.
		if (ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", null)) {
			try {
				if (!application.isWrapperFor(AbstractRoutingDataSource.class)
						&& application.isWrapperFor(HikariDataSource.class)) {
					return new PostgresqlPool(Hikari.copy(application.unwrap(HikariDataSource.class), properties),
							application);
				}
			}
			catch (SQLException ex) {
				// Reported below
			}
		}
		throw new LockConfigurationException(
				"Locks in PostgreSQL need a pool of their own, and the settings of the DataSource cannot be copied: it is a %s, which does not lead to exactly one HikariDataSource."
					.formatted(application.getClass().getName()),
				"Define a second DataSource for locks, name it in distributed-lock.postgresql.data-source, and set distributed-lock.postgresql.pool-size=0. Its locks do not fence the transactions of other DataSources.");
	}

	void close() throws IOException {
		if (this.dataSource != this.application) {
			((Closeable) this.dataSource).close();
		}
	}

	/**
	 * A class of its own, because HikariCP may be absent.
	 */
	private static final class Hikari {

		private static final long SHORTEST_TIMEOUT = 250;

		private static final int DEAD_CONNECTIONS = 3;

		static DataSource copy(HikariDataSource application, DistributedLockProperties properties) {
			HikariConfig config = new HikariConfig();
			application.copyStateTo(config);
			config.setPoolName("lockable");
			config.setMaximumPoolSize(properties.postgresql().poolSize());
			config.setMinimumIdle(1);
			config.setAutoCommit(true);
			config.setReadOnly(false);
			config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
			config.setJdbcUrl(withShortCancellation(config.getJdbcUrl()));
			config.setConnectionTimeout(Math.max(SHORTEST_TIMEOUT, properties.commandTimeout().toMillis()));
			// After a failover, one command can find several dead connections
			config.setValidationTimeout(
					Math.max(SHORTEST_TIMEOUT, properties.commandTimeout().toMillis() / DEAD_CONNECTIONS));
			config.setInitializationFailTimeout(-1);
			config.setLeakDetectionThreshold(0);
			config.setRegisterMbeans(false);
			return new HikariDataSource(config);
		}

		// A command on a silent server ends when the driver has given up its cancellation
		private static @Nullable String withShortCancellation(@Nullable String url) {
			return (url == null || !url.startsWith("jdbc:postgresql:") || url.contains("cancelSignalTimeout=")) ? url
					: url + (url.contains("?") ? "&" : "?") + "cancelSignalTimeout=1";
		}

	}

}
