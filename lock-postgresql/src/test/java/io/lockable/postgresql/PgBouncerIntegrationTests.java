package io.lockable.postgresql;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks behind the PgBouncer that the system property {@code lockable.test.pgbouncer}
 * names, such as {@code /usr/sbin/pgbouncer}, in its pool mode "transaction".
 */
@EnabledIfSystemProperty(named = "lockable.test.pgbouncer", matches = ".+")
@Tag("any-jdk")
class PgBouncerIntegrationTests {

	private final String key = "pooler:" + UUID.randomUUID();

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final Logger logger = (Logger) LoggerFactory.getLogger(PostgresInbox.class);

	private Process pooler;

	private HikariDataSource pool;

	@BeforeEach
	void start(@TempDir Path directory) throws Exception {
		int port = PostgresTestServer.freePort();
		Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), """
				[databases]
				postgres = host=127.0.0.1 port=%d user=postgres
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = any
				pool_mode = transaction
				ignore_startup_parameters = extra_float_digits
				""".formatted(PostgresTestServer.shared().port(), port));
		this.pooler = PostgresTestServer.process(directory.resolve("output"),
				System.getProperty("lockable.test.pgbouncer"), settings);
		this.pool = PostgresTestServer.pool("jdbc:postgresql://127.0.0.1:" + port + "/postgres?prepareThreshold=0", 8,
				(config) -> {
				});
		this.log.list = new CopyOnWriteArrayList<>();
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void stop() {
		this.logger.detachAppender(this.log);
		this.pool.close();
		this.pooler.destroy();
	}

	@Test
	void waiterOfAnotherInstancePolls() throws Exception {
		try (LockEngine holder = engine(); LockEngine waiter = engine()) {
			Lease lease = holder.get(this.key).acquire();
			CompletableFuture<Lease> waiting = waiter
				.get(this.key, LockOptions.defaults().withWaitTime(Duration.ofMinutes(1)))
				.acquireAsync();
			Awaitility.await().untilAsserted(() -> {
				assertThat(holder.look(this.key).waiting()).isOne();
				assertThat(this.log.list).extracting(ILoggingEvent::toString)
					.anyMatch((event) -> event.startsWith("[WARN]") && event.contains("a pooler such as PgBouncer"));
			});
			lease.close();
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(2)).satisfies(Lease::close);
		}
	}

	private LockEngine engine() {
		return LockEngine.builder(new PostgresLockStore(this.pool)).build();
	}

}
