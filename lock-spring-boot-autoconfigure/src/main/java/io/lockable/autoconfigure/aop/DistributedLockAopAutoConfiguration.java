package io.lockable.autoconfigure.aop;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import org.aspectj.weaver.Advice;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

/**
 * {@link AutoConfiguration Auto-configuration} for methods that are annotated with
 * {@link io.lockable.DistributedLockable}.
 *
 * <p>
 * The advisor and the validator are created before all other beans. So they ask for
 * anything else only when the first annotated bean comes, and for
 * {@link DistributedLocks} when the first call does: what is created together with them
 * gets no proxy, of which Spring warns.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnLockFlag("enabled")
public final class DistributedLockAopAutoConfiguration {

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockedOperations lockedOperations(ConfigurableListableBeanFactory beanFactory,
			DistributedLockProperties properties) {
		return new LockedOperations(beanFactory, properties.prefix(), properties.toOptions(),
				properties.onFailure().toOnFailure(), properties.inTransaction().toInTransaction());
	}

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LockedInvoker lockedInvoker(LockedOperations operations, ObjectProvider<DistributedLocks> locks) {
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
			CreatedBeans createdBeans, ObjectProvider<LockedOperations> operations,
			ObjectProvider<DistributedLockProperties> properties) {
		return new AnnotatedBeanValidator(beanFactory, createdBeans, operations::getObject,
				() -> properties.getObject().check());
	}

	private static boolean chosenOrder(Environment environment) {
		return environment.containsProperty("distributed-lock.order");
	}

	/**
	 * What applies the locks. Without AspectJ the validator is left alone, and refuses
	 * annotated beans.
	 */
	@Configuration(proxyBeanMethods = false)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnClass(Advice.class)
	static class AspectConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockAdvisor lockAdvisor(ObjectProvider<LockedInvoker> invoker,
				ObjectProvider<DistributedLockProperties> properties) {
			return new LockAdvisor(invoker::getObject, () -> properties.getObject().order(), Weaving.isAspectWoven());
		}

	}

	/**
	 * What puts retries around the locks, unless the application has chosen an order.
	 */
	@Configuration(proxyBeanMethods = false)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnClass(name = "org.springframework.retry.annotation.RetryConfiguration")
	static class RetryConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static RetriesAroundLocks retriesAroundLocks(Environment environment) {
			return new RetriesAroundLocks(chosenOrder(environment) ? null : DistributedLockProperties.DEFAULT_ORDER);
		}

	}

	/**
	 * What puts transactions within the locks.
	 */
	@Configuration(proxyBeanMethods = false)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnClass({ ConfigurableTransactionManager.class, BeanFactoryTransactionAttributeSourceAdvisor.class })
	static class TransactionConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static TransactionsWithinLocks transactionsWithinLocks(Environment environment) {
			return new TransactionsWithinLocks(
					chosenOrder(environment) ? null : DistributedLockProperties.DEFAULT_ORDER);
		}

	}

}
