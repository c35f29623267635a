package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.LockStore.LeaseRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The check of leases in a transaction of the business data.
 */
@Tag("any-jdk")
class FenceIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final String key = "fence:" + UUID.randomUUID();

	private final PostgresTestServer server = PostgresTestServer.shared();

	private final PostgresLockStore store = new PostgresLockStore(this.server.pool());

	private final LockOptions options = LockOptions.defaults().withLease(LONG).withWaitTime(LONG);

	private final LockEngine engine = LockEngine.builder(this.store)
		.defaults(this.options)
		.shutdownTimeout(Duration.ZERO)
		.build();

	private final DistributedLock lock = this.engine.get(this.key);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private Connection transaction;

	@BeforeEach
	void begin() throws SQLException {
		this.transaction = this.server.pool().getConnection();
		this.transaction.setAutoCommit(false);
	}

	@AfterEach
	void end() throws SQLException {
		this.transaction.rollback();
		this.transaction.close();
		this.engine.close();
		this.threads.shutdownNow();
	}

	private List<Lease> lost() {
		return this.store.findLost(this.transaction, this.engine.threadLeases());
	}

	@Test
	void heldLockIsNotLost() {
		this.lock.lock();
		assertThat(lost()).isEmpty();
		assertThat(this.engine.threadLeases()).singleElement().matches(Lease::isHeld);
	}

	@Test
	void expiredLockIsLostAlsoIfNobodyTookIt() throws SQLException {
		this.lock.lock();
		this.server.run("UPDATE lockable_lock SET ends = ends - interval '2 minutes' WHERE key = '" + this.key + "'");
		assertThat(lost()).singleElement().matches((lease) -> lease.key().equals(this.key));
		this.transaction.rollback();
		this.server.run("DELETE FROM lockable_lock WHERE key = '" + this.key + "'");
		assertThat(lost()).hasSize(1);
	}

	@Test
	void lockOfAnotherOwnerIsLost() {
		this.lock.lock();
		this.server.run("UPDATE lockable_lock SET owner = 'another' WHERE key = '" + this.key + "'");
		assertThat(lost()).hasSize(1);
	}

	@Test
	void shareIsCheckedToo() {
		this.engine.getReadWriteLock(this.key, this.options).readLock().lock();
		assertThat(lost()).isEmpty();
		this.server.run("DELETE FROM lockable_share WHERE key = '" + this.key + "'");
		assertThat(lost()).hasSize(1);
	}

	@Test
	void takeOverWaitsForTheEndOfTheTransactionAndRenewalsPass() throws SQLException {
		this.lock.lock();
		Lease lease = this.engine.threadLeases().get(0);
		assertThat(lost()).isEmpty();
		assertThat(lease.extend(LONG.multipliedBy(2))).isTrue();
		CompletableFuture<Boolean> other = CompletableFuture
			.supplyAsync(() -> this.store.release(this.key, lease.owner()).toCompletableFuture().join(), this.threads);
		Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> !other.isDone());
		this.transaction.commit();
		assertThat(other.join()).isTrue();
	}

	@Test
	void requestDuringALongTransactionIsRefusedAndWaits() throws SQLException {
		this.lock.lock();
		assertThat(lost()).isEmpty();
		assertThat(this.store.acquire(this.key, "other", LONG).toCompletableFuture().join())
			.isInstanceOf(Refused.class);
		assertThat(
				this.store.acquireAll(List.of(new LeaseRequest(this.key, "other", LONG))).toCompletableFuture().join())
			.hasEntrySatisfying(this.key, (answer) -> assertThat(answer).isInstanceOf(Refused.class));
		try (LockEngine other = LockEngine.builder(new PostgresLockStore(this.server.pool()))
			.defaults(this.options)
			.build()) {
			CompletableFuture<Lease> waiting = other.get(this.key).acquireAsync();
			Awaitility.await().pollDelay(Duration.ofSeconds(4)).until(() -> !waiting.isDone());
			this.transaction.commit();
			this.lock.unlock();
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(30));
		}
	}

	@Test
	void higherIsolationLevelIsRefused() throws SQLException {
		this.lock.lock();
		try (Statement statement = this.transaction.createStatement()) {
			statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
		}
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::lost)
			.withMessageContaining("READ COMMITTED for transactions under a lock");
	}

	@Test
	void schemaIsCreatedBySeveralInstancesAtOnce() {
		List<CompletableFuture<Void>> instances = IntStream.range(0, 4)
			.mapToObj((each) -> CompletableFuture.runAsync(() -> PostgresLockStore.createSchema(this.server.pool()),
					this.threads))
			.toList();
		instances.forEach(CompletableFuture::join);
		this.lock.lock();
		assertThat(lost()).isEmpty();
	}

}
