package io.lockable.autoconfigure.integration.boot3;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.integration.RegistryLocks;
import io.lockable.autoconfigure.properties.ConditionalOnLockFlag;
import io.lockable.autoconfigure.properties.DistributedLockProperties;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * {@link AutoConfiguration Auto-configuration} for a Spring Integration
 * {@link LockRegistry} on {@link DistributedLocks}, on Spring Boot 3. Does nothing on
 * Spring Boot 4, whose Spring Integration has locks with a time to live.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnMissingClass("org.springframework.integration.support.locks.DistributedLock")
@ConditionalOnBean({ DistributedLocks.class, DistributedLockProperties.class })
@ConditionalOnMissingBean(LockRegistry.class)
@ConditionalOnLockFlag("integration.enabled")
public final class Boot3LockRegistryAutoConfiguration {

	@Bean
	Boot3LockRegistry distributedLockRegistry(DistributedLocks locks, DistributedLockProperties properties) {
		return new Boot3LockRegistry(RegistryLocks.of(locks, properties));
	}

}
