package io.lockable.spring.aop;

import java.util.ArrayList;
import java.util.List;

import io.lockable.DistributedLocks;
import io.lockable.spring.LockSettings;
import io.lockable.spring.call.CommitCheck;
import io.lockable.spring.call.LockedInvoker;
import io.lockable.spring.metadata.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Selects the beans of annotated methods by the libraries on the class path. This class
 * is not a configuration itself, because Spring would register its member configuration.
 *
 * @param classLoader the class loader of the beans
 */
public record LockedMethodsSelector(@Nullable ClassLoader classLoader) implements ImportSelector {

	@Override
	public String[] selectImports(AnnotationMetadata importingClassMetadata) {
		List<String> imports = new ArrayList<>(
				List.of(ProxyCreator.class.getName(), LockedMethods.class.getName(), LockAdvisor.class.getName()));
		if (ClassUtils.isPresent("org.springframework.transaction.ConfigurableTransactionManager", this.classLoader)) {
			imports.add(CommitCheck.class.getName());
		}
		return imports.toArray(String[]::new);
	}

	static LockSettings get(ObjectProvider<LockSettings> settings) {
		return settings.getIfAvailable(LockSettings::defaults);
	}

	/**
	 * The beans that run annotated methods under their locks.
	 *
	 * <p>
	 * The advisor and the validator are created before all other beans. Beans created
	 * together with them get no proxy, and Spring logs a warning. They therefore request
	 * the settings with the first annotated bean, and {@link DistributedLocks} with the
	 * first call.
	 */
	@Configuration(proxyBeanMethods = false)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class LockedMethods {

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
		static AnnotatedBeanValidator annotatedBeanValidator(ConfigurableListableBeanFactory beanFactory,
				ObjectProvider<LockOperations> operations, ObjectProvider<LockSettings> settings) {
			return new AnnotatedBeanValidator(beanFactory, operations::getObject, () -> get(settings));
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static AdvisorOrders advisorOrders(ObjectProvider<LockSettings> settings) {
			return new AdvisorOrders(() -> get(settings));
		}

	}

	/**
	 * Registers Spring's creator of proxies for advisors with the infrastructure role,
	 * unless there is one that applies more. Spring Boot decides about class proxies, or
	 * the attribute of the annotation.
	 */
	static class ProxyCreator implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importingClassMetadata,
				BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			// By name, because the annotation refers to this class
			if (importingClassMetadata.getAnnotations()
				.get("io.lockable.spring.annotation.EnableDistributedLocks")
				.getValue("proxyTargetClass", Boolean.class)
				.orElse(false)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
