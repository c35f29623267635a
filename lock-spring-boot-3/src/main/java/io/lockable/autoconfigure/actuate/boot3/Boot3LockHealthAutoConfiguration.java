package io.lockable.autoconfigure.actuate.boot3;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.store.LockStoreProbe;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} for the health of the store on Spring Boot
 * 3. Does nothing on Spring Boot 4, whose health contributors are other types.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("distributed-locks")
@ConditionalOnBean(LockStoreProbe.class)
public final class Boot3LockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "distributedLocksHealthIndicator", "distributedLocksHealthContributor" })
	Boot3LockHealthIndicator distributedLocksHealthIndicator(LockStoreProbe probe) {
		return new Boot3LockHealthIndicator(probe);
	}

}
