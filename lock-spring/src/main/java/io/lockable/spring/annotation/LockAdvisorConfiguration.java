package io.lockable.spring.annotation;

import io.lockable.spring.LockSettings;
import io.lockable.spring.aop.LockAdvisor;
import io.lockable.spring.aop.Weaving;
import io.lockable.spring.call.LockedInvoker;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Applies the locks.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockAdvisorConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockAdvisor lockAdvisor(ObjectProvider<LockedInvoker> invoker, ObjectProvider<LockSettings> settings) {
		return new LockAdvisor(invoker::getObject, () -> LockedMethodsConfiguration.get(settings).order(),
				Weaving.isAspectWoven());
	}

}
