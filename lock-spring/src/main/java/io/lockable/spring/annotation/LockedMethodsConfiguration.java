package io.lockable.spring.annotation;

import io.lockable.DistributedLocks;
import io.lockable.spring.LockSettings;
import io.lockable.spring.call.LockedInvoker;
import io.lockable.spring.metadata.LockOperations;
import io.lockable.spring.validation.AnnotatedBeanValidator;
import io.lockable.spring.validation.CreatedBeans;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * The beans that run annotated methods under their locks.
 *
 * <p>
 * The advisor and the validator are created before all other beans. A bean that is
 * created together with them gets no proxy, and Spring warns of it. So they request the
 * settings with the first annotated bean, and {@link DistributedLocks} with the first
 * call.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockedMethodsConfiguration {

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOperations lockOperations(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<LockSettings> settings) {
		return new LockOperations(beanFactory, get(settings));
	}

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockedInvoker lockedInvoker(LockOperations operations, ObjectProvider<DistributedLocks> locks) {
		return new LockedInvoker(operations, locks::getObject);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CreatedBeans createdBeans() {
		return new CreatedBeans();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static AnnotatedBeanValidator annotatedBeanValidator(ConfigurableListableBeanFactory beanFactory,
			CreatedBeans createdBeans, ObjectProvider<LockOperations> operations,
			ObjectProvider<LockSettings> settings) {
		return new AnnotatedBeanValidator(beanFactory, createdBeans, operations::getObject, () -> get(settings));
	}

	static LockSettings get(ObjectProvider<LockSettings> settings) {
		return settings.getIfAvailable(LockSettings::defaults);
	}

}
