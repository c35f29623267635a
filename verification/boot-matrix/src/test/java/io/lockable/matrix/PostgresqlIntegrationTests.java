package io.lockable.matrix;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockLostException;
import io.lockable.matrix.PostgresqlApplication.Accounts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Two instances with locks on PostgreSQL.
 */
@With({ Part.POSTGRESQL, Part.SERVLET, Part.ACTUATOR })
class PostgresqlIntegrationTests {

	private static EmbeddedPostgres server;

	private static Instance one;

	private static Instance other;

	@BeforeAll
	static void start() throws IOException {
		server = EmbeddedPostgres.start();
		one = Instance.startWebOnPostgresql(PostgresqlApplication.class, server.getJdbcUrl("postgres", "postgres"));
		other = Instance.startWebOnPostgresql(PostgresqlApplication.class, server.getJdbcUrl("postgres", "postgres"));
	}

	@AfterAll
	static void stop() throws IOException {
		other.close();
		one.close();
		server.close();
	}

	@Test
	void methodWaitsForTheOtherInstance() throws Exception {
		CompletableFuture<Void> waiting = new CompletableFuture<>();
		one.bean(Accounts.class).add("shared", () -> {
			waiting.completeAsync(() -> {
				other.bean(Accounts.class).add("shared", () -> {
				});
				return null;
			}, new SimpleAsyncTaskExecutor());
			await().until(() -> rows("lockable_waiter WHERE key = 'disLock:shared'") == 1);
		});
		waiting.get(20, TimeUnit.SECONDS);
		assertThat(one.bean(Accounts.class).balance("shared")).isEqualTo(2);
		assertThat(rows("lockable_lock WHERE key = 'disLock:shared' AND ends > clock_timestamp()")).isZero();
	}

	@Test
	void transactionThatLostItsLockIsRolledBack() {
		Accounts accounts = one.bean(Accounts.class);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> accounts.add("lost",
					() -> other.bean(JdbcTemplate.class)
						.update("UPDATE lockable_lock SET owner = 'another' WHERE key = 'disLock:lost'")))
			.withMessageContaining("was lost before the commit");
		assertThat(accounts.balance("lost")).isZero();
	}

	@Test
	void healthAndEndpointKnowTheLocks() throws Exception {
		try (Lease lease = one.locks().get("actuator").acquire()) {
			assertThat(ActuatorIntegrationTests.get(one.url("/actuator/health/distributedLocks"))).contains("\"UP\"",
					"\"PostgreSQL\"");
			assertThat(ActuatorIntegrationTests.get(one.url("/actuator/locks"))).contains("\"actuator\"");
			assertThat(ActuatorIntegrationTests.get(other.url("/actuator/locks/actuator"))).contains(lease.owner());
		}
	}

	private static int rows(String rows) {
		Integer count = one.bean(JdbcTemplate.class).queryForObject("SELECT count(*) FROM " + rows, Integer.class);
		return (count != null) ? count : -1;
	}

}
