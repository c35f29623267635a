package io.lockable.spring.annotation;

import io.lockable.spring.LockSettings;
import io.lockable.spring.aop.TransactionsWithinLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Puts transactions within the locks.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockTransactionConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static TransactionsWithinLocks transactionsWithinLocks(ObjectProvider<LockSettings> settings) {
		return new TransactionsWithinLocks(() -> LockedMethodsConfiguration.get(settings));
	}

}
