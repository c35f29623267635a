package io.lockable.spring.metadata;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;

import io.lockable.annotation.DistributedLockable;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Registers reflection hints for annotated beans at build time: their annotated methods,
 * fallbacks, and the members that expressions read.
 *
 * <p>
 * The annotations themselves are validated at startup, because their placeholders may
 * have no value at build time.
 */
final class AnnotatedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> type = ClassUtils.getUserClass(registeredBean.getBeanClass());
		Set<Method> methods = AnnotatedTypes.annotatedMethods(type);
		if (methods.isEmpty()) {
			return null;
		}
		ConfigurableListableBeanFactory beanFactory = registeredBean.getBeanFactory();
		return (context, code) -> register(type, methods, beanFactory, context.getRuntimeHints().reflection());
	}

	private static void register(Class<?> type, Set<Method> methods, ConfigurableListableBeanFactory beanFactory,
			ReflectionHints hints) {
		// The lookup of annotations and of fallbacks in the same object covers the
		// hierarchy
		for (Class<?> each : hierarchy(type)) {
			hints.registerType(each, MemberCategory.INVOKE_DECLARED_METHODS);
			registerAnnotations(each, hints);
		}
		for (Method method : methods) {
			LockableMethod lockable = LockableMethod.find(method, type);
			if (lockable != null) {
				hints.registerMethod(lockable.method(), ExecutableMode.INVOKE);
				hints.registerMethod(lockable.declaration(), ExecutableMode.INVOKE);
				registerAnnotations(lockable.declaration(), hints);
				ExpressionHints expressions = new ExpressionHints(lockable, type, beanFactory, hints);
				for (DistributedLockable annotation : lockable.annotations()) {
					expressions.register(annotation);
					registerFallback(annotation.fallback(), beanFactory, hints);
				}
			}
		}
	}

	// Composed annotations of the application
	private static void registerAnnotations(AnnotatedElement element, ReflectionHints hints) {
		MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLockable.class)
			.flatMap((annotation) -> annotation.getMetaTypes().stream())
			.forEach((type) -> hints.registerType(type, MemberCategory.INVOKE_DECLARED_METHODS));
	}

	// A fallback of the same object is a method of its hierarchy
	private static void registerFallback(String fallback, ConfigurableListableBeanFactory beanFactory,
			ReflectionHints hints) {
		int separator = fallback.indexOf(FallbackResolver.SEPARATOR);
		String beanName = fallback.substring(0, Math.max(0, separator));
		Class<?> bean = beanFactory.containsBean(beanName) ? beanFactory.getType(beanName, false) : null;
		if (bean != null) {
			hierarchy(ClassUtils.getUserClass(bean))
				.forEach((each) -> hints.registerType(each, MemberCategory.INVOKE_DECLARED_METHODS));
		}
	}

	private static Set<Class<?>> hierarchy(Class<?> type) {
		Set<Class<?>> result = new LinkedHashSet<>();
		for (Class<?> current = type; current != null && current != Object.class; current = current.getSuperclass()) {
			result.add(current);
		}
		result.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
		return result;
	}

}
