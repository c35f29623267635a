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
public final class ShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	DistributedLockProvider distributedLockProvider(DistributedLocks locks, DistributedLockProperties properties) {
		String prefix = properties.shedlock().prefix();
		return new DistributedLockProvider(locks, (prefix != null) ? prefix : properties.prefix() + "shedlock:");
	}

}
