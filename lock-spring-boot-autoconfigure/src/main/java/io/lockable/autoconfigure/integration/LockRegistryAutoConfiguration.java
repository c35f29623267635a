package io.lockable.autoconfigure.integration;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * {@link AutoConfiguration Auto-configuration} for a Spring Integration
 * {@link LockRegistry} on {@link DistributedLocks}. Inactive with Spring Integration 6,
 * whose locks have no time to live.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.integration.support.locks.DistributedLock")
@ConditionalOnBean({ DistributedLocks.class, DistributedLockProperties.class })
@ConditionalOnMissingBean(LockRegistry.class)
@ConditionalOnLockFlag("integration.enabled")
public final class LockRegistryAutoConfiguration {

	@Bean
	DistributedLockRegistry distributedLockRegistry(DistributedLocks locks, DistributedLockProperties properties) {
		return new DistributedLockRegistry(RegistryLocks.of(locks, properties));
	}

}
