package io.lockable.autoconfigure.aop;

import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import io.lockable.spring.LockSettings;
import io.lockable.spring.aop.LockedMethodsSelector;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * {@link AutoConfiguration Auto-configuration} for methods with
 * {@link io.lockable.annotation.DistributedLockable}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnLockFlag("enabled")
@Import(LockedMethodsSelector.class)
public final class DistributedLockAopAutoConfiguration {

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	LockSettings lockSettings(DistributedLockProperties properties) {
		return properties.toSettings();
	}

}
