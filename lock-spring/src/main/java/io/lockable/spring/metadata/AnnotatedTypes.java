package io.lockable.spring.metadata;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.lockable.annotation.DistributedLockable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/**
 * Finds the classes, methods and beans with an annotation. Startup checks every bean.
 * Each class of a hierarchy is therefore checked once, and Spring's lookup runs only for
 * methods with annotations.
 */
public final class AnnotatedTypes {

	private static final Logger logger = LoggerFactory.getLogger(AnnotatedTypes.class);

	private static final ClassValue<Boolean> ANNOTATED = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return AnnotationUtils.isCandidateClass(type, DistributedLockable.class)
					&& (declares(type) || inherits(type));
		}

	};

	private AnnotatedTypes() {
	}

	/**
	 * Returns whether the hierarchy of a class has the annotation.
	 * @param type the class
	 * @return {@code false} if none of its methods can be annotated
	 */
	public static boolean isAnnotated(Class<?> type) {
		return ANNOTATED.get(type);
	}

	/**
	 * Visits every bean of a known type that has annotated methods.
	 * @param beanFactory the bean factory
	 * @param visitor receives the name of the bean and its class behind any proxy
	 */
	public static void forEachBean(ConfigurableListableBeanFactory beanFactory, BiConsumer<String, Class<?>> visitor) {
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
		if (!isAnnotated(type)) {
			return Set.of();
		}
		return MethodIntrospector
			.selectMethods(type, (MetadataLookup<LockableMethod>) (method) -> LockableMethod.find(method, type))
			.keySet();
	}

	private static boolean inherits(Class<?> type) {
		return Stream.concat(Stream.of(type.getInterfaces()), Stream.ofNullable(type.getSuperclass()))
			.anyMatch(AnnotatedTypes::isAnnotated);
	}

	private static boolean declares(Class<?> type) {
		try {
			return isLocked(type) || Stream.of(type.getDeclaredMethods()).anyMatch(AnnotatedTypes::isLocked);
		}
		catch (LinkageError ex) {
			logger.debug("Failed to look for @DistributedLockable on {}", type.getName(), ex);
			return false;
		}
	}

	private static boolean isLocked(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(DistributedLockable.class);
	}

}
