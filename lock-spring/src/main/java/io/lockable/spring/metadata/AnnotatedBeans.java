package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.BiConsumer;

import io.lockable.Internal;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.util.ClassUtils;

/**
 * Finds the beans with annotated methods. Creates no beans.
 */
@Internal
public final class AnnotatedBeans {

	private AnnotatedBeans() {
	}

	/**
	 * Visits every bean of a known type that has annotated methods.
	 * @param beanFactory the bean factory
	 * @param visitor receives the name of the bean and its class behind any proxy
	 */
	public static void forEach(ConfigurableListableBeanFactory beanFactory, BiConsumer<String, Class<?>> visitor) {
		for (String beanName : beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, beanName);
			if (type != null && !ScopedObject.class.isAssignableFrom(type)) {
				Class<?> userClass = ClassUtils.getUserClass(type);
				if (!annotatedMethods(userClass).isEmpty()) {
					visitor.accept(beanName, userClass);
				}
			}
		}
	}

	/**
	 * Finds the annotated methods of a class.
	 * @param type the class behind any proxy
	 * @return its annotated methods
	 */
	public static Set<Method> annotatedMethods(Class<?> type) {
		if (!AnnotatedTypes.isAnnotated(type)) {
			return Set.of();
		}
		return MethodIntrospector
			.selectMethods(type, (MetadataLookup<LockableMethod>) (method) -> LockableMethod.find(method, type))
			.keySet();
	}

}
