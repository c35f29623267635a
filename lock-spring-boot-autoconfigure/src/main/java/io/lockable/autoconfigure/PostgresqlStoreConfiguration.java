package io.lockable.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.lockable.DistributedLocks;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.spring.call.CommitCheck;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * The store on PostgreSQL, and the fence of its transactions.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ PostgresLockStore.class, DataSourceUtils.class })
@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
@Conditional(PostgresqlStoreConfiguration.OnPostgresql.class)
class PostgresqlStoreConfiguration {

	@Bean(destroyMethod = "close")
	PostgresqlPool lockPool(DistributedLockProperties properties, ListableBeanFactory beanFactory,
			ObjectProvider<DataSource> dataSources) {
		return PostgresqlPool.of(dataSource(properties.postgresql().dataSource(), dataSources, beanFactory),
				properties);
	}

	private static DataSource dataSource(@Nullable String name, ObjectProvider<DataSource> dataSources,
			ListableBeanFactory beanFactory) {
		DataSource only = (name != null) ? null : dataSources.getIfUnique();
		if (only != null) {
			return only;
		}
		List<String> candidates = List.of(beanFactory.getBeanNamesForType(DataSource.class, true, false));
		if (name != null && candidates.contains(name)) {
			return beanFactory.getBean(name, DataSource.class);
		}
		if (candidates.isEmpty()) {
			throw new LockConfigurationException(
					"Distributed locks are stored in PostgreSQL, but there is no DataSource bean.",
					"Add spring-boot-starter-jdbc and set spring.datasource.url. " + LockStoreConfiguration.MEMORY);
		}
		throw new LockConfigurationException((name != null)
				? "distributed-lock.postgresql.data-source names the bean '%s', which is not a DataSource."
					.formatted(name)
				: "Distributed locks are stored in PostgreSQL, but there are several DataSource beans, and none is primary.",
				"Set distributed-lock.postgresql.data-source to the bean whose database stores the locks: %s."
					.formatted(String.join(", ", candidates)));
	}

	@Bean
	PostgresLockStore lockStore(PostgresqlPool pool, DistributedLockProperties properties) {
		if (properties.postgresql().initializeSchema()) {
			PostgresLockStore.createSchema(pool.dataSource());
		}
		return new PostgresLockStore(pool.dataSource(), properties.commandTimeout());
	}

	@Bean
	@ConditionalOnClass(TransactionExecutionListener.class)
	@ConditionalOnLockFlag("postgresql.fence")
	static CommitCheck commitFence(ConfigurableListableBeanFactory beanFactory) {
		return new CommitCheck(new CommitFence(beanFactory));
	}

	/**
	 * Whether PostgreSQL is chosen, or is the only server for locks on the class path.
	 */
	static final class OnPostgresql extends AnyNestedCondition {

		OnPostgresql() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "postgresql")
		static class Chosen {

		}

		@ConditionalOnMissingClass("io.lockable.redis.RedisLockStore")
		@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "none", matchIfMissing = true)
		static class Only {

		}

	}

}
