package io.lockable.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.LockClock;
import io.lockable.LockListener;
import io.lockable.LockObserver;
import io.lockable.autoconfigure.properties.ConditionalOnLockFlag;
import io.lockable.autoconfigure.properties.DistributedLockProperties;
import io.lockable.autoconfigure.properties.LockPropertyNamesCheck;
import io.lockable.autoconfigure.store.LockStoreCheck;
import io.lockable.autoconfigure.store.LockStoreConfiguration;
import io.lockable.autoconfigure.store.LockStoreProbe;
import io.lockable.autoconfigure.store.MissingLockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.spring.request.RequestId;
import io.lockable.store.LockStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} for {@link DistributedLocks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnLockFlag("enabled")
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import(LockStoreConfiguration.class)
public final class DistributedLockAutoConfiguration {

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean(DistributedLocks.class)
	LockEngine distributedLocks(DistributedLockProperties properties, ObjectProvider<LockStore> stores,
			ObjectProvider<LockListener> listeners, ObjectProvider<LockObserver> observers,
			ObjectProvider<LockClock> clocks, ObjectProvider<LockEngineBuilderCustomizer> customizers) {
		LockStore store = stores.getIfAvailable(() -> {
			throw MissingLockStoreException.libraryMissing();
		});
		LockEngine.Builder builder = LockEngine.builder(store)
			.defaults(properties.toOptions())
			.requestId(RequestId::current)
			.commandTimeout(properties.commandTimeout())
			.shutdownTimeout(properties.shutdownTimeout());
		clocks.ifUnique(builder::clock);
		listeners.orderedStream().forEach(builder::listener);
		observers.orderedStream().forEach(builder::observer);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	@Bean
	@ConditionalOnMissingBean
	LockEngineLifecycle lockEngineLifecycle(ConfigurableApplicationContext context,
			ObjectProvider<LockStoreProbe> probes, DistributedLockProperties properties) {
		return new LockEngineLifecycle(context,
				new LockStoreCheck(() -> probes.orderedStream().toList(), properties.check().unreachableStore()));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(LockStore.class)
	LockStoreProbe lockStoreProbe(LockStore store, DistributedLockProperties properties) {
		return new LockStoreProbe(store, properties.prefix(), properties.commandTimeout());
	}

	@Bean
	static LockPropertyNamesCheck lockPropertyNamesCheck(Environment environment) {
		return new LockPropertyNamesCheck(environment);
	}

}
