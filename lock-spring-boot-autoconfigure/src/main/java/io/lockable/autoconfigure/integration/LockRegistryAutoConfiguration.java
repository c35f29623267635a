package io.lockable.autoconfigure.integration;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * {@link AutoConfiguration Auto-configuration} for a Spring Integration
 * {@link LockRegistry} on {@link DistributedLocks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean({ DistributedLocks.class, DistributedLockProperties.class })
@ConditionalOnMissingBean(LockRegistry.class)
@ConditionalOnLockFlag("integration.enabled")
public final class LockRegistryAutoConfiguration {

	/**
	 * What meters and events call the locks of the registry.
	 */
	private static final String NAME = "integration";

	private static String prefix(DistributedLockProperties properties) {
		String prefix = properties.integration().prefix();
		return (prefix != null) ? prefix : properties.prefix() + "integration:";
	}

	/**
	 * Spring Integration 7, whose registries say what locks they have.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(DistributedLock.class)
	static class TypedConfiguration {

		@Bean
		DistributedLockRegistry distributedLockRegistry(DistributedLocks locks, DistributedLockProperties properties) {
			return new DistributedLockRegistry(locks, prefix(properties), properties.toOptions().withName(NAME));
		}

	}

	/**
	 * Spring Integration 6.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("org.springframework.integration.support.locks.DistributedLock")
	static class UntypedConfiguration {

		@Bean
		UntypedLockRegistry distributedLockRegistry(DistributedLocks locks, DistributedLockProperties properties) {
			return new UntypedLockRegistry(locks, prefix(properties), properties.toOptions().withName(NAME));
		}

	}

}
