package io.lockable.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockLostException;
import io.lockable.LockStoreException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.store.LockStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in the database of the business data.
 */
@Tag("any-jdk")
class PostgresqlIntegrationTests {

	private static final String[] SHORT_LEASE = { "distributed-lock.lease=3s", "distributed-lock.renewal=false" };

	private static EmbeddedPostgres server;

	private final String key = "account:" + UUID.randomUUID();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("distributed-lock.store=postgresql", "distributed-lock.postgresql.initialize-schema=true",
				"distributed-lock.wait-time=30s")
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class));

	@BeforeAll
	static void start() throws IOException {
		server = EmbeddedPostgres.start();
		jdbc().execute("CREATE DATABASE empty");
		jdbc().execute("CREATE TABLE account (id text PRIMARY KEY, balance integer NOT NULL)");
	}

	@AfterAll
	static void stop() throws IOException {
		server.close();
	}

	@Test
	void annotatedMethodLocksARow() {
		this.contextRunner.run((context) -> {
			context.getBean(Accounts.class).add(this.key, () -> assertThat(holders()).isOne());
			assertThat(holders()).isZero();
			assertThat(balance()).isOne();
			assertThat(context.getBean(LockStore.class)).isInstanceOf(PostgresLockStore.class);
			assertThat(context.getBean(PostgresqlPool.class).dataSource())
				.isNotSameAs(context.getBean(DataSource.class))
				.isInstanceOfSatisfying(HikariDataSource.class,
						(pool) -> assertThat(pool.getJdbcUrl()).endsWith("&cancelSignalTimeout=1"));
		});
	}

	@Test
	void pausedHolderCannotCommit() {
		this.contextRunner.withPropertyValues(SHORT_LEASE).run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> accounts.add(this.key, this::addByAnotherInstance))
				.withMessageContaining("was lost before the commit");
			accounts.add(this.key, () -> {
			});
			assertThat(balance()).isEqualTo(2);
		});
	}

	@Test
	void withoutTheFenceThePausedHolderOverwritesTheUpdateOfAnotherInstance() {
		this.contextRunner.withPropertyValues(SHORT_LEASE)
			.withPropertyValues("distributed-lock.postgresql.fence=off")
			.run((context) -> {
				context.getBean(Accounts.class).add(this.key, this::addByAnotherInstance);
				assertThat(balance()).isOne();
			});
	}

	@Test
	void transactionTemplateUnderALockOfTheThreadIsFenced() {
		this.contextRunner.run((context) -> {
			TransactionTemplate transactions = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> context.getBean(DistributedLocks.class)
				.get("disLock:" + this.key)
				.run(() -> transactions.executeWithoutResult((status) -> {
					jdbc.update("INSERT INTO account VALUES (?, 1)", this.key);
					loseLock();
				})));
			assertThat(rows()).isZero();
		});
	}

	@Test
	void transactionOfJpaIsFenced() {
		this.contextRunner.withUserConfiguration(Jpa.class).run((context) -> {
			TransactionTemplate transactions = new TransactionTemplate(context.getBean(JpaTransactionManager.class));
			EntityManager entities = SharedEntityManagerCreator
				.createSharedEntityManager(context.getBean(EntityManagerFactory.class));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> context.getBean(DistributedLocks.class)
				.get("disLock:" + this.key)
				.run(() -> transactions.executeWithoutResult((status) -> {
					entities.persist(new Account(this.key));
					loseLock();
				})));
			assertThat(rows()).isZero();
			context.getBean(DistributedLocks.class)
				.get("disLock:other" + this.key)
				.run(() -> transactions.executeWithoutResult((status) -> entities.persist(new Account(this.key))));
			assertThat(rows()).isOne();
		});
	}

	@Test
	void innerTransactionIsFencedAsWell() {
		this.contextRunner.run((context) -> {
			TransactionTemplate inner = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Accounts.class).add(this.key, () -> {
					loseLock();
					inner.executeWithoutResult(
							(status) -> jdbc.update("INSERT INTO account VALUES (?, 1)", "inner" + this.key));
				}));
			assertThat(count("account WHERE id LIKE '%" + this.key + "'")).isZero();
		});
	}

	@Test
	void locksThatThreadsPassOnAreNotLost() {
		this.contextRunner.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			ExecutorService threads = Executors.newFixedThreadPool(4);
			List<CompletableFuture<Void>> calls = IntStream.range(0, 200)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> accounts.add(this.key, () -> {
				}), threads))
				.toList();
			calls.forEach(CompletableFuture::join);
			threads.shutdown();
			assertThat(balance()).isEqualTo(200);
		});
	}

	@Test
	void savepointsAndTransactionsOfOtherResourcesAreNotChecked() {
		this.contextRunner.run((context) -> {
			JdbcTransactionManager manager = context.getBean(JdbcTransactionManager.class);
			JdbcTransactionManager other = context.getBean("otherManager", JdbcTransactionManager.class);
			TransactionTemplate nested = new TransactionTemplate(manager);
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			DistributedLock lock = context.getBean(DistributedLocks.class).get("disLock:" + this.key);
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
				lock.run(() -> {
					nested.executeWithoutResult((inner) -> {
					});
					new TransactionTemplate(other).executeWithoutResult((inner) -> {
					});
				});
				assertThat(holders()).isZero();
			});
		});
	}

	@Test
	void transactionThatOnlyReadsIsNotChecked() {
		this.contextRunner.run((context) -> {
			TransactionTemplate transactions = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
			transactions.setReadOnly(true);
			context.getBean(DistributedLocks.class)
				.get("disLock:" + this.key)
				.run(() -> transactions.executeWithoutResult((status) -> loseLock()));
		});
	}

	@Test
	void isolationLevelThatTheFenceDoesNotSupportIsNamed() {
		this.contextRunner.run((context) -> {
			TransactionTemplate transactions = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
			transactions.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> context.getBean(DistributedLocks.class)
				.get("disLock:" + this.key)
				.run(() -> transactions.executeWithoutResult((status) -> {
				}))).withMessageContaining("use READ COMMITTED");
		});
	}

	@Test
	void postgresqlIsTheStoreIfItIsTheOnlyOne() {
		new ApplicationContextRunner().withUserConfiguration(Data.class)
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("io.lockable.redis"))
			.run((context) -> assertThat(context).hasSingleBean(PostgresLockStore.class));
	}

	@Test
	void missingTablesAreReportedAtStartup() {
		runner().withBean(DataSource.class, () -> pool("empty"))
			.withPropertyValues("distributed-lock.postgresql.initialize-schema=false",
					"distributed-lock.check.unreachable-store=fail")
			.run((context) -> assertThat(problem(context)).contains("tables and functions of locks are missing")
				.contains("distributed-lock.postgresql.initialize-schema=true"));
	}

	@Test
	void poolThatCannotBeCopiedIsReported() {
		runner().withBean(DataSource.class, DriverManagerDataSource::new)
			.run((context) -> assertThat(problem(context)).contains("exactly one HikariDataSource"));
		runner(Data.class).withClassLoader(new FilteredClassLoader("com.zaxxer.hikari"))
			.run((context) -> assertThat(problem(context)).contains("need a pool of their own"));
		runner().withBean(DataSource.class, () -> {
			Router router = new Router();
			router.setDefaultTargetDataSource(pool("postgres"));
			return new LazyConnectionDataSourceProxy(router);
		}).run((context) -> assertThat(problem(context)).contains("exactly one HikariDataSource"));
	}

	@Test
	void dataSourceItselfServesLocksIfThePoolHasNoSize() {
		runner(Data.class).withPropertyValues("distributed-lock.postgresql.pool-size=0").run((context) -> {
			DataSource dataSource = context.getBean(DataSource.class);
			assertThat(context.getBean(PostgresqlPool.class).dataSource()).isSameAs(dataSource);
			context.getBean(PostgresqlPool.class).close();
			assertThat(((HikariDataSource) dataSource).isClosed()).isFalse();
		});
	}

	@Test
	void missingDataSourceIsReported() {
		runner().run((context) -> assertThat(problem(context)).contains("there is no DataSource bean"));
	}

	@Test
	void severalDataSourcesNeedAName() {
		ApplicationContextRunner several = runner(Data.class).withBean("other", DataSource.class,
				DriverManagerDataSource::new);
		several.run((context) -> assertThat(problem(context)).contains("several DataSource beans"));
		several.withPropertyValues("distributed-lock.postgresql.data-source=third")
			.run((context) -> assertThat(problem(context)).contains("names the bean 'third'"));
		several.withPropertyValues("distributed-lock.postgresql.data-source=dataSource")
			.run((context) -> assertThat(context).hasSingleBean(PostgresLockStore.class));
	}

	@Test
	void storeThatIsNotOnTheClassPathIsReported() {
		runner(Data.class).withClassLoader(new FilteredClassLoader("io.lockable.postgresql"))
			.run((context) -> assertThat(problem(context)).contains("lock-postgresql is missing"));
	}

	private static String problem(AssertableApplicationContext context) {
		return NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()).toString();
	}

	private static ApplicationContextRunner runner(Class<?>... configurations) {
		return new ApplicationContextRunner().withUserConfiguration(configurations)
			.withPropertyValues("distributed-lock.store=postgresql",
					"distributed-lock.postgresql.initialize-schema=true")
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));
	}

	private int holders() {
		return count("lockable_lock WHERE key = 'disLock:" + this.key + "' AND ends > clock_timestamp()");
	}

	private int rows() {
		return count("account WHERE id = '" + this.key + "'");
	}

	private Integer balance() {
		return jdbc().queryForObject("SELECT balance FROM account WHERE id = ?", Integer.class, this.key);
	}

	private int count(String rows) {
		Integer count = jdbc().queryForObject("SELECT count(*) FROM " + rows, Integer.class);
		return (count != null) ? count : -1;
	}

	private void addByAnotherInstance() {
		this.contextRunner.run((other) -> other.getBean(Accounts.class).add(this.key, () -> {
		}));
	}

	private void loseLock() {
		jdbc().update("UPDATE lockable_lock SET owner = 'another' WHERE key = ?", "disLock:" + this.key);
	}

	private static JdbcTemplate jdbc() {
		return new JdbcTemplate(server.getPostgresDatabase());
	}

	private static HikariDataSource pool(String database) {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(server.getJdbcUrl("postgres", database));
		return dataSource;
	}

	static class Router extends AbstractRoutingDataSource {

		Router() {
			setTargetDataSources(Map.of());
		}

		@Override
		protected Object determineCurrentLookupKey() {
			return "any";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Data {

		@Bean
		HikariDataSource dataSource() {
			return pool("postgres");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
			return factory;
		}

		@Bean
		JpaTransactionManager jpaTransactionManager(EntityManagerFactory entityManagerFactory) {
			return new JpaTransactionManager(entityManagerFactory);
		}

	}

	@Entity(name = "account")
	static class Account {

		@Id
		private String id;

		int balance;

		protected Account() {
		}

		Account(String id) {
			this.id = id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import({ Data.class, Accounts.class })
	static class Application {

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		JdbcTransactionManager otherManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource(server.getJdbcUrl("postgres", "empty")));
		}

		@Bean
		@Primary
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	static class Accounts {

		private final JdbcTemplate jdbc;

		Accounts(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLockable(key = "#id")
		void add(String id, Runnable before) {
			List<Integer> balance = this.jdbc.queryForList("SELECT balance FROM account WHERE id = ?", Integer.class,
					id);
			before.run();
			this.jdbc.update(
					"INSERT INTO account VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET balance = excluded.balance", id,
					balance.isEmpty() ? 1 : balance.get(0) + 1);
		}

	}

}
