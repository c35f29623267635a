package io.lockable.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.LockListener;
import io.lockable.autoconfigure.DistributedLockProperties.Store;
import io.lockable.engine.LockEngine;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.spring.request.RequestId;
import io.lockable.store.LockStore;
import io.lockable.store.RecallingLockStore;
import io.lockable.text.DurationText;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@link AutoConfiguration Auto-configuration} for {@link DistributedLocks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
		"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnLockFlag("enabled")
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import({ LockStoreConfiguration.class, PostgresqlStoreConfiguration.class })
public final class DistributedLockAutoConfiguration {

	/**
	 * The name of the engine's bean, which is that of its method.
	 */
	static final String ENGINE = "distributedLocks";

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean(DistributedLocks.class)
	LockEngine distributedLocks(DistributedLockProperties properties, ObjectProvider<LockStore> stores,
			ObjectProvider<LockListener> listeners, ObjectProvider<EngineRuntime> runtimes,
			ObjectProvider<LockEngineBuilderCustomizer> customizers, Environment environment) {
		LockStore store = stores.getIfAvailable(() -> {
			throw (properties.store() == Store.POSTGRESQL) ? new LockConfigurationException(
					"Distributed locks are stored in PostgreSQL (distributed-lock.store=postgresql), but lock-postgresql "
							+ "is missing from the class path.",
					"Add lock-spring-boot-starter-postgresql. " + LockStoreConfiguration.MEMORY)
					: new LockConfigurationException(
							"Distributed locks are stored in Redis (distributed-lock.store=redis), but lock-redis or "
									+ "spring-data-redis is missing from the class path.",
							"Add lock-spring-boot-starter, which brings both. " + LockStoreConfiguration.MEMORY);
		});
		checkRetain(properties, store);
		LockEngine.Builder builder = LockEngine.builder(store)
			.defaults(properties.toOptions())
			.requestId(RequestId::current)
			.commandTimeout(properties.commandTimeout())
			.recallTimeout(properties.recallTimeout())
			.shutdownTimeout(properties.shutdownTimeout())
			.deadlock(properties.deadlock());
		String application = environment.getProperty("spring.application.name");
		if (StringUtils.hasText(application)) {
			builder.application(application);
		}
		if (properties.warnAfterHold() != null) {
			builder.warnAfterHold(properties.warnAfterHold());
		}
		if (properties.warnAfterWait() != null) {
			builder.warnAfterWait(properties.warnAfterWait());
		}
		runtimes.ifUnique(builder::runtime);
		listeners.orderedStream().forEach(builder::listener);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	private static void checkRetain(DistributedLockProperties properties, LockStore store) {
		boolean recalls = store instanceof RecallingLockStore recalling && !recalling.needsConfirmation();
		LockConfigurationException.throwIf(!properties.retain().isZero() && !recalls, "retain",
				"must be 0s with the store %s, was %s: its instances cannot ask each other for a lock"
					.formatted(store.getClass().getSimpleName(), DurationText.of(properties.retain())),
				"Set distributed-lock.retain=0s, or use a RecallingLockStore that grants without confirmation.");
	}

	@Bean
	LockEngineLifecycle lockEngineLifecycle(ConfigurableApplicationContext context,
			ObjectProvider<LockStoreProbe> probes, DistributedLockProperties properties) {
		return new LockEngineLifecycle(context, new LockStoreCheck(probes, properties.check().unreachableStore()));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(LockStore.class)
	LockStoreProbe lockStoreProbe(LockStore store, DistributedLockProperties properties) {
		return new LockStoreProbe(store, properties.prefix(), properties.commandTimeout());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockPropertyNamesCheck lockPropertyNamesCheck() {
		return new LockPropertyNamesCheck();
	}

}
