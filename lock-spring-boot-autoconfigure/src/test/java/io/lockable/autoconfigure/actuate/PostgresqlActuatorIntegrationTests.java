package io.lockable.autoconfigure.actuate;

import java.io.IOException;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.actuate.LocksDescriptor.HeldLockDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.LockEngineDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockHolderDescriptor;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * The health and the endpoint of locks on PostgreSQL.
 */
@Tag("any-jdk")
class PostgresqlActuatorIntegrationTests {

	private static EmbeddedPostgres server;

	private final String key = "actuator:" + UUID.randomUUID();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withBean(HikariDataSource.class, PostgresqlActuatorIntegrationTests::pool)
		.withPropertyValues("distributed-lock.store=postgresql", "distributed-lock.postgresql.initialize-schema=true",
				"distributed-lock.actuator.force-release.enabled=true",
				"management.endpoints.web.exposure.include=locks")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockHealthAutoConfiguration.class, LocksEndpointAutoConfiguration.class));

	@BeforeAll
	static void start() throws IOException {
		server = EmbeddedPostgres.start();
	}

	@AfterAll
	static void stop() throws IOException {
		server.close();
	}

	@Test
	void healthNamesTheStoreAndItsFailure() {
		this.contextRunner.run((context) -> {
			HealthIndicator indicator = context.getBean("distributedLocksHealthIndicator", HealthIndicator.class);
			Health up = indicator.health();
			assertThat(up.getStatus()).isEqualTo(Status.UP);
			assertThat(up.getDetails()).containsOnlyKeys("store", "latency")
				.containsEntry("store", "PostgreSQL")
				.hasEntrySatisfying("latency", (latency) -> assertThat(latency).asString().matches("\\d+ ms"));
			new JdbcTemplate(server.getPostgresDatabase()).execute("DROP TABLE lockable_lock CASCADE");
			Health down = indicator.health();
			assertThat(down.getStatus()).isEqualTo(Status.DOWN);
			assertThat(down.getDetails()).containsEntry("store", "PostgreSQL")
				.hasEntrySatisfying("failure", (failure) -> assertThat(failure).asString().contains("schema.sql"));
		});
	}

	@Test
	void endpointListsAndReleasesTheLockOfAnotherInstance() {
		this.contextRunner.run((one) -> this.contextRunner.run((other) -> {
			Lease lease = lock(one).acquire();
			LocksEndpoint endpoint = other.getBean(LocksEndpoint.class);
			assertThat(all(one).held()).extracting(HeldLockDescriptor::key).containsExactly(this.key);
			await().untilAsserted(() -> assertThat(all(other).others()).flatExtracting((instance) -> instance.held())
				.extracting(HeldLockDescriptor::key)
				.containsExactly(this.key));
			assertThat(endpoint.lock(this.key).engines().get("distributedLocks").holders())
				.extracting(LockHolderDescriptor::owner, LockHolderDescriptor::thread)
				.containsExactly(tuple(lease.owner(), Thread.currentThread().getName()));
			assertThat(lock(other).tryAcquire()).isEmpty();
			assertThat(endpoint.forceRelease(this.key, "a test").engines().get("distributedLocks").released())
				.containsExactly(lease.owner());
			assertThat(endpoint.lock(this.key).isHeld()).isFalse();
			assertThat(lock(other).tryAcquire()).isPresent();
		}));
	}

	private DistributedLock lock(ApplicationContext context) {
		return context.getBean(DistributedLocks.class).get(this.key);
	}

	private static LockEngineDescriptor all(ApplicationContext context) {
		return context.getBean(LocksEndpoint.class).locks().engines().values().iterator().next();
	}

	private static HikariDataSource pool() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(server.getJdbcUrl("postgres", "postgres"));
		return dataSource;
	}

}
