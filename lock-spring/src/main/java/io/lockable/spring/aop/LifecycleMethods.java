package io.lockable.spring.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.metadata.LockableMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Finds annotated methods that Spring itself calls after the creation or before the
 * destruction of a bean. Spring calls them on the object behind the proxy. A class-level
 * annotation does not apply to them.
 */
final class LifecycleMethods {

	private static final List<String> INIT = List.of("jakarta.annotation.PostConstruct",
			"javax.annotation.PostConstruct");

	private static final List<String> DESTROY = List.of("jakarta.annotation.PreDestroy", "javax.annotation.PreDestroy");

	private LifecycleMethods() {
	}

	/**
	 * Finds the annotated lifecycle methods of a bean.
	 * @param methods the annotated methods of its class
	 * @param type the class
	 * @param beanName the name of the bean
	 * @param beanFactory the bean factory
	 * @return the methods, each with {@code true} for destruction and {@code false} for
	 * initialization
	 */
	static Map<Method, Boolean> find(Set<Method> methods, Class<?> type, String beanName,
			ConfigurableListableBeanFactory beanFactory) {
		Map<Method, Boolean> result = new LinkedHashMap<>();
		boolean defined = beanFactory.containsBeanDefinition(beanName);
		if (defined && beanFactory.isFactoryBean(beanName) && !FactoryBean.class.isAssignableFrom(type)) {
			// The product of a factory bean has no lifecycle
			return result;
		}
		AbstractBeanDefinition definition = (defined
				&& beanFactory.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition found) ? found
						: null;
		for (Method method : methods) {
			if (method.getParameterCount() == 0 && isAnnotatedItself(method, type)) {
				boolean init = isInit(method, type, definition);
				if (init || isDestroy(method, type, definition)) {
					result.put(method, !init);
				}
			}
		}
		return result;
	}

	private static boolean isAnnotatedItself(Method method, Class<?> type) {
		LockableMethod lockable = LockableMethod.find(method, type);
		return lockable != null && MergedAnnotations.from(lockable.declaration(), SearchStrategy.TYPE_HIERARCHY)
			.isPresent(DistributedLockable.class);
	}

	private static boolean isInit(Method method, Class<?> type, @Nullable AbstractBeanDefinition definition) {
		String name = method.getName();
		return isAnnotated(method, INIT)
				|| (InitializingBean.class.isAssignableFrom(type) && name.equals("afterPropertiesSet"))
				|| (definition != null && ObjectUtils.containsElement(definition.getInitMethodNames(), name));
	}

	private static boolean isDestroy(Method method, Class<?> type, @Nullable AbstractBeanDefinition definition) {
		if (definition != null && definition.isPrototype()) {
			// Spring does not destroy prototypes
			return false;
		}
		String name = method.getName();
		return isAnnotated(method, DESTROY) || (DisposableBean.class.isAssignableFrom(type) && name.equals("destroy"))
				|| (definition != null && (ObjectUtils.containsElement(definition.getDestroyMethodNames(), name)
						|| name.equals(inferred(type, definition))));
	}

	// Same inference as in Spring: close, or else shutdown
	private static @Nullable String inferred(Class<?> type, BeanDefinition definition) {
		boolean closeable = AutoCloseable.class.isAssignableFrom(type);
		String named = definition.getDestroyMethodName();
		boolean asked = AbstractBeanDefinition.INFER_METHOD.equals(named) || (named == null && closeable);
		if (!asked || DisposableBean.class.isAssignableFrom(type)) {
			return null;
		}
		return (closeable || ClassUtils.hasMethod(type, "close")) ? "close" : "shutdown";
	}

	private static boolean isAnnotated(Method method, List<String> types) {
		return types.stream().anyMatch(MergedAnnotations.from(method, SearchStrategy.SUPERCLASS)::isPresent);
	}

}
