package io.lockable.postgresql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import org.assertj.core.groups.Tuple;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Notifications over {@code LISTEN}.
 */
@Tag("any-jdk")
class NotificationIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private final String key = "notify:" + UUID.randomUUID();

	private final PostgresTestServer server = PostgresTestServer.shared();

	private final HikariDataSource pool = this.server.pool(8);

	private final RecordingInbox inbox = new RecordingInbox();

	private PostgresLockStore store = new PostgresLockStore(this.pool);

	@AfterEach
	void close() {
		this.store.close();
		this.pool.close();
	}

	private static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

	private void grantArrives(String name, String owner) {
		answer(this.store.acquire(name, "holder", LEASE));
		assertThat(answer(this.store.enqueue(name, owner, LEASE, false))).isInstanceOf(Refused.class);
		assertThat(answer(this.store.release(name, "holder"))).isTrue();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.inbox.grants).extracting(Grant::key, Grant::owner)
				.contains(Tuple.tuple(name, owner)));
	}

	@Test
	void subscriptionIsRestoredAfterALossOfTheConnection() {
		answer(this.store.subscribe(this.inbox));
		grantArrives(this.key, "before");
		this.server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
				+ "AND query LIKE 'LISTEN %'");
		Awaitility.await().until(() -> this.inbox.interruptions.get() == 1);
		Awaitility.await().until(() -> this.inbox.resubscriptions.get() == 1);
		assertThat(this.store.isNotifying()).isTrue();
		grantArrives(this.key + ":2", "after");
	}

	@Test
	void longKeyIsNotifiedByAHint() {
		answer(this.store.subscribe(this.inbox));
		String longKey = this.key + "k".repeat(600);
		answer(this.store.acquire(longKey, "holder", LEASE));
		answer(this.store.enqueue(longKey, "waiter", LEASE, false));
		answer(this.store.release(longKey, "holder"));
		Awaitility.await().until(() -> this.inbox.resubscriptions.get() == 1);
		assertThat(this.inbox.grants).isEmpty();
	}

	@Test
	void longOwnerTokenIsNotifiedByAHint() {
		answer(this.store.subscribe(this.inbox));
		answer(this.store.acquire(this.key, "holder", LEASE));
		answer(this.store.enqueue(this.key, "w".repeat(9000), LEASE, false));
		assertThat(answer(this.store.release(this.key, "holder"))).isTrue();
		Awaitility.await().until(() -> this.inbox.resubscriptions.get() == 1);
	}

	@Test
	void poolerThatSwallowsListenIsDetected() {
		this.store.close();
		this.store = new PostgresLockStore(deaf(this.pool));
		assertThat(this.store.subscribe(this.inbox).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(20));
		assertThat(this.store.isNotifying()).isFalse();
	}

	@Test
	void closedStoreReturnsItsConnection() {
		answer(this.store.subscribe(this.inbox));
		assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
		this.store.close();
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	@Test
	void subscriptionWithoutAServerFailsAndLeavesNothing() {
		try (HikariDataSource nowhere = this.server.pool((config) -> {
			config.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/none");
			config.setConnectionTimeout(500);
		})) {
			this.store.close();
			this.store = new PostgresLockStore(nowhere);
			assertThat(this.store.subscribe(this.inbox).toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
		}
	}

	/**
	 * Returns a pool whose connections ignore {@code LISTEN}, as PgBouncer does in effect
	 * in its pool mode "transaction".
	 */
	private static DataSource deaf(DataSource pool) {
		return proxy(DataSource.class, pool, "getConnection", (connection) -> proxy(Connection.class,
				(Connection) connection, "createStatement", (statement) -> deafStatement((Statement) statement)));
	}

	private static Statement deafStatement(Statement statement) {
		return (Statement) Proxy.newProxyInstance(Statement.class.getClassLoader(), new Class<?>[] { Statement.class },
				(proxy, method, arguments) -> {
					boolean listen = method.getName().equals("execute")
							&& List.of(arguments).toString().startsWith("[LISTEN");
					return listen ? false : method.invoke(statement, arguments);
				});
	}

	private static <T> T proxy(Class<T> type, T target, String name, UnaryOperator<Object> replacement) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					Object result = method.invoke(target, arguments);
					return method.getName().equals(name) ? replacement.apply(result) : result;
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

}
