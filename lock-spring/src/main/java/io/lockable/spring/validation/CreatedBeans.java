package io.lockable.spring.validation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockable.Internal;
import io.lockable.spring.metadata.AnnotatedTypes;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * The names of the annotated beans that Spring has created itself. A bean with a
 * definition and an object that Spring has not created is replaced: by
 * {@code @MockitoBean}, {@code @TestBean}, or any other registration of a singleton.
 *
 * <p>
 * Runs before other post-processors are created, because those that depend on annotated
 * beans create them before there are proxies.
 */
@Internal
public final class CreatedBeans implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		beanFactory.addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String beanName) {
				if (AnnotatedTypes.isAnnotated(bean.getClass())) {
					CreatedBeans.this.names.add(beanName);
				}
				return bean;
			}

		});
	}

	boolean contains(String beanName) {
		return this.names.contains(beanName);
	}

}
