package io.lockable.autoconfigure.shedlock;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} for a ShedLock {@link LockProvider} on
 * {@link DistributedLocks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(LockProvider.class)
@ConditionalOnBean({ DistributedLocks.class, DistributedLockProperties.class })
@ConditionalOnLockFlag("shedlock.enabled")
@EnableConfigurationProperties(ShedLockProperties.class)
public final class ShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	DistributedLockProvider distributedLockProvider(DistributedLocks locks, DistributedLockProperties common,
			ShedLockProperties properties) {
		return new DistributedLockProvider(locks, properties.prefix(common.prefix()));
	}

}
