package io.lockable.spring.annotation;

import io.lockable.spring.LockSettings;
import io.lockable.spring.aop.RetriesAroundLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Puts the retries of Spring Retry around the locks.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockRetryConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RetriesAroundLocks retriesAroundLocks(ObjectProvider<LockSettings> settings) {
		return new RetriesAroundLocks(() -> LockedMethodsConfiguration.get(settings));
	}

}
