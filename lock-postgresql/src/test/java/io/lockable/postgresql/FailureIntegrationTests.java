package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.test.redis.FaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Each failure is a {@link LockStoreException} that names the remedy.
 */
@Tag("any-jdk")
class FailureIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private final String key = "failure:" + UUID.randomUUID();

	private final PostgresTestServer server = PostgresTestServer.shared();

	private HikariDataSource pool = this.server.pool(2);

	@AfterEach
	void close() {
		this.pool.close();
	}

	private void pool(Consumer<HikariConfig> settings) {
		this.pool.close();
		this.pool = this.server.pool(settings);
	}

	private PostgresLockStore store() {
		return new PostgresLockStore(this.pool, Duration.ofSeconds(1));
	}

	private static LockStoreException failure(CompletionStage<?> stage) {
		CompletionException failure = catchThrowableOfType(CompletionException.class,
				() -> stage.toCompletableFuture().join());
		assertThat(failure.getCause()).isInstanceOf(LockStoreException.class);
		return (LockStoreException) failure.getCause();
	}

	@Test
	void missingTablesNameTheSchemaFile() {
		pool((config) -> config.setSchema("pg_catalog"));
		PostgresLockStore store = store();
		assertThat(failure(store.acquire(this.key, "a", LEASE))).hasMessageContaining("schema.sql");
		assertThat(failure(store.isLocked(this.key))).hasMessageContaining("schema.sql");
		assertThat(failure(store.checkPermissions(this.key))).hasMessageContaining("schema.sql");
	}

	@Test
	void missingPermissionsAreNamed() {
		String user = "user_" + UUID.randomUUID().toString().replace("-", "");
		this.server.run("CREATE USER " + user + "; GRANT SELECT, INSERT, UPDATE ON lockable_lock TO " + user);
		pool((config) -> config.setUsername(user));
		PostgresLockStore store = store();
		assertThat(failure(store.checkPermissions(this.key))).hasMessageContaining("DELETE ON lockable_lock")
			.hasMessageContaining("SELECT ON lockable_waiter")
			.hasMessageNotContaining("SELECT ON lockable_lock");
		assertThat(failure(store.enqueue(this.key, "a", LEASE, true))).hasMessageContaining("GRANT ");
		this.server
			.run("GRANT SELECT, INSERT, UPDATE, DELETE ON lockable_lock, lockable_share, lockable_waiter TO " + user);
		assertThat(store.checkPermissions(this.key).toCompletableFuture()).isCompleted();
		assertThat(store.enqueue(this.key, "a", LEASE, true).toCompletableFuture()).isCompleted();
	}

	@Test
	void refusedConnectionNamesTheAddress() {
		pool((config) -> {
			config.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/none");
			config.setConnectionTimeout(500);
		});
		LockStoreException failure = failure(store().acquire(this.key, "a", LEASE));
		assertThat(failure).hasMessageContaining("127.0.0.1:1").hasMessageContaining("check that the server runs");
		assertThat(failure.isRetryable()).isFalse();
	}

	@Test
	void connectionWithoutAutocommitIsRefused() {
		pool((config) -> config.setAutoCommit(false));
		assertThat(failure(store().acquire(this.key, "a", LEASE))).hasMessageContaining("autocommit");
		assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
	}

	@Test
	void otherIsolationLevelIsRefused() {
		assertThat(store().connect(this.key).toCompletableFuture()).isCompleted();
		pool((config) -> config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ"));
		assertThat(failure(store().connect(this.key))).hasMessageContaining("'repeatable read'");
	}

	@Test
	void standbyIsReportedAsTemporarilyReadOnly() {
		pool((config) -> config.setConnectionInitSql("SET default_transaction_read_only = on"));
		LockStoreException failure = failure(store().acquire(this.key, "a", LEASE));
		assertThat(failure).hasMessageContaining("connect to the primary");
		assertThat(failure.isRetryable()).isTrue();
	}

	/**
	 * A former primary stays read-only, and a new connection may lead to the next one.
	 */
	@Test
	void connectionToAReadOnlyServerIsNotUsedAgain() throws SQLException {
		pool((config) -> {
			config.setMaximumPoolSize(1);
			config.setConnectionInitSql("SET default_transaction_read_only = on");
		});
		int first = backend();
		assertThat(backend()).isEqualTo(first);
		failure(store().acquire(this.key, "a", LEASE));
		assertThat(backend()).isNotEqualTo(first);
	}

	private int backend() throws SQLException {
		try (Connection connection = this.pool.getConnection();
				Statement statement = connection.createStatement();
				ResultSet pid = statement.executeQuery("SELECT pg_backend_pid()")) {
			pid.next();
			return pid.getInt(1);
		}
	}

	@Test
	void interruptIsKeptForLater() {
		PostgresLockStore store = store();
		Thread.currentThread().interrupt();
		CompletionStage<Acquisition> acquired = store.acquire(this.key, "a", LEASE);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(acquired).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void schemaIsCreatedOverConnectionsWithoutAutocommit() {
		String schema = "schema_" + UUID.randomUUID().toString().replace("-", "");
		this.server.run("CREATE SCHEMA " + schema);
		pool((config) -> {
			config.setAutoCommit(false);
			config.setSchema(schema);
		});
		PostgresLockStore.createSchema(this.pool);
		assertThat(this.server.count("pg_tables WHERE schemaname = '" + schema + "'")).isEqualTo(3);
		this.server.run("DROP SCHEMA " + schema + " CASCADE");
	}

	@Test
	void missingConfirmationOfAStandbyIsAFailure() {
		pool((config) -> config.setConnectionInitSql("SET synchronous_commit = on"));
		this.server.run("ALTER SYSTEM SET synchronous_standby_names = 'none'");
		try {
			this.server.run("SELECT pg_reload_conf()");
			Awaitility.await()
				.until(() -> this.server
					.count("pg_settings WHERE setting = 'none' AND name LIKE 'synchronous_standby%'") == 1);
			assertThat(failure(store().acquire(this.key, "a", LEASE))).hasMessageContaining("the server warned");
		}
		finally {
			this.server.run("ALTER SYSTEM RESET synchronous_standby_names");
			this.server.run("SELECT pg_reload_conf()");
		}
	}

	@Test
	void failureOfTheDataSourceIsTranslated() {
		this.pool.close();
		LockStoreException failure = failure(store().release(this.key, "a"));
		assertThat(failure).hasMessageContaining("has been closed");
	}

	@Test
	void failedSubscriptionLeavesNoConnectionThatListens() throws SQLException {
		pool((config) -> config.setConnectionTimeout(500));
		try (Connection busy = this.pool.getConnection()) {
			assertThat(busy.isValid(1)).isTrue();
			PostgresLockStore store = store();
			assertThat(store.subscribe(new RecordingInbox())).failsWithin(Duration.ofSeconds(20))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockStoreException.class);
			try (Connection other = this.pool.getConnection();
					Statement statement = other.createStatement();
					ResultSet channels = statement.executeQuery("SELECT pg_listening_channels()")) {
				assertThat(channels.next()).isFalse();
			}
			store.close();
		}
	}

	@Test
	void commandOnASilentServerEndsAfterTheTimeouts() {
		try (FaultProxy proxy = FaultProxy.unparsed("127.0.0.1", this.server.port())) {
			pool((config) -> {
				config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres?cancelSignalTimeout=1");
				config.setConnectionTimeout(1000);
			});
			PostgresLockStore store = store();
			store.acquire(this.key, "a", LEASE);
			proxy.stall();
			long start = System.nanoTime();
			assertThat(failure(store.release(this.key, "a"))).hasMessageContaining("check that the server runs");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
			proxy.resume();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "SHARE", "ACCESS EXCLUSIVE" })
	void blockedTableIsAFailure(String mode) throws SQLException {
		PostgresLockStore store = store();
		store.acquire(this.key, "a", LEASE);
		try (Connection connection = this.server.pool().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("LOCK TABLE lockable_lock IN %s MODE".formatted(mode));
			assertThat(failure(store.acquire(this.key, "b", LEASE))).hasMessageContaining("pg_blocking_pids");
			connection.rollback();
		}
	}

	@Test
	void blockedRowRefusesRequestsAndFailsReleases() {
		PostgresLockStore store = store();
		store.acquire(this.key, "a", LEASE);
		try (RowLock lock = RowLock.of(this.server, this.key, "FOR UPDATE")) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(store.acquire(this.key, "b", LEASE).toCompletableFuture().join()).isInstanceOf(Refused.class);
			assertThat(failure(store.release(this.key, "a"))).hasMessageContaining("pg_blocking_pids");
		}
		assertThat(store.release(this.key, "a").toCompletableFuture()).isCompletedWithValue(true);
	}

}
