package io.lockable.autoconfigure.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.OnLost;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Locks and transactions of two instances that share a Redis and a database. A control
 * without the rule loses updates.
 */
@Tag("extended")
@Tag("any-jdk")
class TransactionIntegrationTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final int THREADS = 4;

	private static final int UPDATES = 25;

	private static final int ALL_UPDATES = 2 * THREADS * UPDATES;

	private final String id = UUID.randomUUID().toString();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withBean(DataSource.class,
				() -> new DriverManagerDataSource("jdbc:h2:mem:" + this.id + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000"))
		.withUserConfiguration(Instance.class)
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class));

	private final ApplicationContextRunner late = this.contextRunner.withUserConfiguration(LateTransactions.class);

	private final ApplicationContextRunner early = this.contextRunner.withUserConfiguration(EarlyTransactions.class);

	@Test
	void noUpdateIsLostInTransactionsThatTheMethodStarts() {
		assertThat(updates(this.late, (work, key) -> work.accounts.inOwnTransaction(key))).isEqualTo(ALL_UPDATES);
	}

	@Test
	void noUpdateIsLostWhenTransactionsAreOrderedBeforeEverythingElse() {
		assertThat(updates(this.early, (work, key) -> work.accounts.inOwnTransactionReleasing(key)))
			.isEqualTo(ALL_UPDATES);
	}

	@Test
	void noUpdateIsLostInTransactionsOfTheCaller() {
		assertThat(updates(this.late, (work, key) -> work.callers.call(() -> work.accounts.keeping(key))))
			.isEqualTo(ALL_UPDATES);
	}

	@Test
	void updatesAreLostWhenTheLockIsReleasedBeforeTheTransactionOfTheCallerCommits() {
		assertThat(updates(this.late, (work, key) -> work.callers.call(() -> work.accounts.releasing(key))))
			.isLessThan(ALL_UPDATES);
	}

	@Test
	void lockIsKeptUntilTheTransactionOfTheCallerHasEnded() {
		onTwo(this.late, (first, second) -> {
			first.callers.call(() -> {
				first.accounts.keeping(this.id);
				first.accounts.keeping(this.id);
				assertThat(first.lock(this.id).holdCount()).isEqualTo(2);
				assertThat(LockContext.find()).isEmpty();
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> second.accounts.impatient(this.id));
			});
			assertThat(first.lock(this.id).holdCount()).isZero();
			second.accounts.impatient(this.id);
			assertThat(second.accounts.balance(this.id)).isEqualTo(3);
		});
	}

	@Test
	void lockOfWorkOutsideOfTheTransactionOfTheCallerIsKeptUntilThatHasEndedToo() {
		onTwo(this.late, (first, second) -> {
			for (Consumer<String> work : List.<Consumer<String>>of(first.accounts::inNewTransaction,
					first.accounts::withoutTransaction)) {
				first.callers.call(() -> {
					work.accept(this.id);
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> second.accounts.impatient(this.id));
				});
				second.accounts.impatient(this.id);
			}
			assertThat(second.accounts.balance(this.id)).isEqualTo(4);
		});
	}

	@Test
	void rollbackOfTheCallerReleasesToo() {
		onTwo(this.late, (first, second) -> {
			assertThatIllegalStateException().isThrownBy(() -> first.callers.call(() -> {
				first.accounts.keeping(this.id);
				throw new IllegalStateException("broken");
			}));
			second.accounts.impatient(this.id);
			assertThat(second.accounts.balance(this.id)).isEqualTo(1);
		});
	}

	@Test
	void stageKeepsItsLockUntilBothItAndTheTransactionOfTheCallerHaveEnded() {
		onTwo(this.late, (first, second) -> {
			CompletableFuture<String> quick = new CompletableFuture<>();
			first.callers.call(() -> {
				CompletionStage<String> stage = first.accounts.stage(this.id, quick);
				quick.complete("done");
				assertThat(stage.toCompletableFuture()).isCompleted();
				assertThat(second.lock(this.id).isLocked()).isTrue();
			});
			await().atMost(SOON).until(() -> !second.lock(this.id).isLocked());
			CompletableFuture<String> slow = new CompletableFuture<>();
			first.callers.call(() -> first.accounts.stage(this.id, slow));
			assertThat(second.lock(this.id).isLocked()).isTrue();
			slow.complete("done");
			await().atMost(SOON).until(() -> !second.lock(this.id).isLocked());
		});
	}

	@Test
	void callThatWouldWaitForAStageOfItsOwnTransactionFailsAtOnce() {
		onTwo(this.late, (first, second) -> first.callers.call(() -> {
			first.accounts.stage(this.id, CompletableFuture.completedFuture("done"));
			assertThat(first.accounts.stage(this.id, CompletableFuture.completedFuture("never")))
				.isCompletedExceptionally();
			first.accounts.suspendTransaction();
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> first.accounts.keeping(this.id))
				.withMessageContaining("would wait for itself");
		}));
	}

	@Test
	void lossRollsBackTheTransactionOfTheMethod() {
		onTwo(this.late, (first, second) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> first.accounts.losingInOwnTransaction(this.id));
			assertThat(second.accounts.balance(this.id)).isZero();
		});
	}

	@Test
	void lossAfterTheMethodRollsBackTheTransactionOfTheCaller() {
		onTwo(this.late, (first, second) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> first.callers.call(() -> {
				first.accounts.strict(this.id);
				Lease lease = first.lock(this.id).lease();
				await().atMost(SOON).until(() -> !lease.isHeld());
			}));
			assertThat(second.accounts.balance(this.id)).isZero();
			assertThat(first.lock(this.id).holdCount()).isZero();
		});
	}

	private int updates(ApplicationContextRunner runner, BiConsumer<Work, String> update) {
		AtomicReference<Integer> balance = new AtomicReference<>();
		onTwo(runner, (first, second) -> {
			ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
			try {
				List<CompletableFuture<Void>> all = new ArrayList<>();
				for (int i = 0; i < 2 * THREADS; i++) {
					Work work = (i % 2 == 0) ? first : second;
					all.add(CompletableFuture.runAsync(() -> {
						for (int j = 0; j < UPDATES; j++) {
							update.accept(work, this.id);
						}
					}, threads));
				}
				all.forEach(CompletableFuture::join);
			}
			finally {
				threads.shutdownNow();
			}
			balance.set(first.accounts.balance(this.id));
		});
		return balance.get();
	}

	private void onTwo(ApplicationContextRunner runner, BiConsumer<Work, Work> check) {
		runner.run((first) -> runner.run((second) -> {
			Work work = first.getBean(Work.class);
			work.accounts.create(this.id);
			check.accept(work, second.getBean(Work.class));
		}));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class LateTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true, order = Ordered.HIGHEST_PRECEDENCE)
	static class EarlyTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Accounts.class, Callers.class, Work.class })
	static class Instance {

		@Bean
		LettuceConnectionFactory connectionFactory() {
			RedisTestServer server = RedisServers.shared();
			return new LettuceConnectionFactory(server.host(), server.port());
		}

		@Bean
		StringRedisTemplate stringRedisTemplate(LettuceConnectionFactory connectionFactory) {
			return new StringRedisTemplate(connectionFactory);
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

	}

	record Work(Accounts accounts, Callers callers, DistributedLocks locks) {

		DistributedLock lock(String id) {
			return this.locks.get("disLock:" + id);
		}

	}

	static class Callers {

		@Transactional
		void call(Runnable body) {
			body.run();
		}

	}

	static class Accounts {

		private final JdbcTemplate jdbc;

		Accounts(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void create(String id) {
			this.jdbc.execute("create table account (id varchar(64) primary key, balance int)");
			this.jdbc.update("insert into account values (?, 0)", id);
		}

		int balance(String id) {
			return this.jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
		}

		@Transactional
		@DistributedLockable(key = "#id", waitTime = 60)
		void inOwnTransaction(String id) {
			add(id);
		}

		@Transactional
		@DistributedLockable(key = "#id", waitTime = 60, inTransaction = InTransaction.RELEASE)
		void inOwnTransactionReleasing(String id) {
			add(id);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLockable(key = "#id")
		void inNewTransaction(String id) {
			add(id);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		void suspendTransaction() {
		}

		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@DistributedLockable(key = "#id")
		void withoutTransaction(String id) {
			add(id);
		}

		@DistributedLockable(key = "#id", waitTime = 60)
		void keeping(String id) {
			add(id);
		}

		@DistributedLockable(key = "#id", waitTime = 60, inTransaction = InTransaction.RELEASE)
		void releasing(String id) {
			add(id);
		}

		@DistributedLockable(key = "#id")
		void impatient(String id) {
			add(id);
		}

		@DistributedLockable(key = "#id", waitTime = 60)
		CompletionStage<String> stage(String id, CompletableFuture<String> work) {
			return work;
		}

		@Transactional
		@DistributedLockable(key = "#id", expire = 200, unit = TimeUnit.MILLISECONDS, onLost = OnLost.FAIL)
		void losingInOwnTransaction(String id) {
			add(id);
			awaitLoss();
		}

		@DistributedLockable(key = "#id", expire = 200, unit = TimeUnit.MILLISECONDS, onLost = OnLost.FAIL)
		void strict(String id) {
			add(id);
		}

		// Reads, computes, writes, and delays the commit
		private void add(String id) {
			int balance = balance(id);
			this.jdbc.update("update account set balance = ? where id = ?", balance + 1, id);
			if (TransactionSynchronizationManager.isSynchronizationActive()
					&& !TransactionSynchronizationManager.getSynchronizations()
						.stream()
						.anyMatch(Slow.class::isInstance)) {
				TransactionSynchronizationManager.registerSynchronization(new Slow());
			}
		}

		private static void awaitLoss() {
			LockContext context = LockContext.current();
			await().atMost(SOON).until(() -> !context.isHeld());
		}

	}

	private static final class Slow implements TransactionSynchronization {

		@Override
		public void beforeCommit(boolean readOnly) {
			long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3);
			while (end - System.nanoTime() > 0) {
				LockSupport.parkNanos(end - System.nanoTime());
			}
		}

	}

}
