package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.LockFailureHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the method that a {@code fallback} names. For one that cannot work, it names the
 * correction. Thread-safe.
 */
final class FallbackResolver {

	/**
	 * The separator between a bean and its method.
	 */
	static final String SEPARATOR = "::";

	private final ConfigurableListableBeanFactory beanFactory;

	private final Queue<Runnable> beanChecks = new ConcurrentLinkedQueue<>();

	/**
	 * Creates a resolver.
	 * @param beanFactory resolves the beans
	 */
	FallbackResolver(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Finds a fallback.
	 * @param text the text of the annotation
	 * @param called the called method
	 * @param lockable the annotated method
	 * @param targetClass the class of the object behind the proxy
	 * @return the fallback
	 * @throws InvalidExpressionException if no method fits; it has an action
	 */
	LockFailureHandler resolve(String text, Method called, LockableMethod lockable, Class<?> targetClass) {
		int separator = text.indexOf(SEPARATOR);
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Signature signature = new Signature(lockable.method(), parameters(lockable.method(), userClass));
		try {
			if (separator < 0) {
				Method method = find(text, userClass, signature);
				InvalidExpressionException.throwIf(LockableMethod.find(method, targetClass) != null,
						"has its own lock but would run without it: a call within the same bean is not intercepted",
						"Write bean::method, or remove the annotation from the fallback.");
				return fallback(method, called, null);
			}
			String beanName = text.substring(0, separator);
			Method method = find(text.substring(separator + SEPARATOR.length()), type(beanName), signature);
			InvalidExpressionException.throwIf(!Modifier.isPublic(method.getModifiers()),
					"is not public, so a proxy may not expose it", "Make it public.");
			Runnable check = () -> checkProxy(lockable.method(), text, beanName, method);
			check.run();
			this.beanChecks.add(check);
			return fallback(method, called, beanName);
		}
		catch (InvalidExpressionException ex) {
			throw about(text, ex);
		}
	}

	/**
	 * Checks the fallbacks of other beans again, after those beans exist.
	 * @throws io.lockable.spring.InvalidDistributedLockableException if one cannot be
	 * called
	 */
	void validateBeans() {
		this.beanChecks.forEach(Runnable::run);
	}

	private static InvalidExpressionException about(String text, InvalidExpressionException ex) {
		return ex.about("fallback = \"%s\"".formatted(text), "Write the name of a method, or bean::method.");
	}

	// Rejects a method that is missing from an existing proxy of the bean
	private void checkProxy(Method locked, String text, String beanName, Method method) {
		Object bean = this.beanFactory.containsSingleton(beanName) ? this.beanFactory.getSingleton(beanName) : null;
		if (bean == null || !Proxy.isProxyClass(bean.getClass())) {
			return;
		}
		try {
			AopUtils.selectInvocableMethod(method, bean.getClass());
		}
		catch (IllegalStateException ex) {
			throw InvalidAnnotation.of(locked,
					about(text, new InvalidExpressionException(
							"is missing from the proxy of the bean '%s', which has the methods of its interfaces only"
								.formatted(beanName),
							"Add the method to an interface of the bean, or set spring.aop.proxy-target-class=true, "
									+ "which has no effect with spring.aop.auto=false.")));
		}
	}

	// Arguments may be null, which AopUtils does not declare
	@SuppressWarnings("NullAway")
	private LockFailureHandler fallback(Method method, Method called, @Nullable String beanName) {
		Class<?> result = ReturnKind.result(called);
		Class<?> returned = ReturnKind.result(method);
		InvalidExpressionException.throwIf(!ClassUtils.isAssignable(result, returned),
				"returns %s, which is not assignable to %s".formatted(returned.getTypeName(), result.getTypeName()),
				"Change its return type to %s.".formatted(result.getTypeName()));
		ReflectionUtils.makeAccessible(method);
		int taken = count(called);
		boolean takesException = count(method) > taken;
		boolean suspends = KotlinDetector.isSuspendingFunction(method);
		return (locked, target, arguments, failure) -> {
			List<@Nullable Object> passed = new ArrayList<>(Arrays.asList(arguments).subList(0, taken));
			if (takesException) {
				passed.add(failure);
			}
			if (suspends) {
				// The continuation of the caller
				passed.add(arguments[taken]);
			}
			Object object = (beanName != null) ? this.beanFactory.getBean(beanName) : target;
			return AopUtils.invokeJoinpointUsingReflection(object,
					AopUtils.selectInvocableMethod(method, object.getClass()), passed.toArray());
		};
	}

	private static List<Class<?>> parameters(Method method, Class<?> type) {
		Class<?>[] declared = method.getParameterTypes();
		return IntStream.range(0, count(method))
			.<Class<?>>mapToObj(
					(position) -> ResolvableType.forMethodParameter(method, position, type).resolve(declared[position]))
			.toList();
	}

	// Without the continuation of a suspending function, its last parameter
	private static int count(Method method) {
		return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
	}

	private Class<?> type(String beanName) {
		InvalidExpressionException.throwIf(!this.beanFactory.containsBean(beanName),
				"refers to the bean '%s', which does not exist".formatted(beanName),
				"Write the name of a bean before '::', or the name of a method alone.");
		Class<?> type = this.beanFactory.containsBeanDefinition(beanName)
				? AutoProxyUtils.determineTargetClass(this.beanFactory, beanName) : this.beanFactory.getType(beanName);
		if (type == null) {
			throw new InvalidExpressionException("refers to the bean '%s', whose type is unknown".formatted(beanName),
					"Declare its class as the return type of its @Bean method.");
		}
		return ClassUtils.getUserClass(type);
	}

	private static Method find(String name, Class<?> type, Signature locked) {
		List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> method.getName().equals(name) && !method.isBridge())
			.toList();
		InvalidExpressionException.throwIf(named.isEmpty(), "names no method of %s".formatted(type.getName()),
				"Write one: %s.".formatted(locked.of(name)));
		List<Method> fitting = named.stream().filter((method) -> locked.fits(method, type)).toList();
		InvalidExpressionException.throwIf(fitting.isEmpty(),
				"names %s, which does not take the same arguments".formatted(InvalidAnnotation.describe(named.get(0))),
				"Write %s, optionally with a LockNotAcquiredException at the end.".formatted(locked.of(name)));
		if (fitting.size() > 1) {
			throw new InvalidExpressionException("is ambiguous: %s and %s both fit"
				.formatted(InvalidAnnotation.describe(fitting.get(0)), InvalidAnnotation.describe(fitting.get(1))),
					"Rename one of them.");
		}
		Method method = fitting.get(0);
		InvalidExpressionException.throwIf(Modifier.isPrivate(method.getModifiers()), "is private",
				"Make it package-private, protected or public.");
		return method;
	}

	/**
	 * What a fallback must take.
	 *
	 * @param method the annotated method
	 * @param parameters the types of its arguments in the target class
	 */
	private record Signature(Method method, List<Class<?>> parameters) {

		boolean fits(Method fallback, Class<?> type) {
			if (KotlinDetector.isSuspendingFunction(fallback) && !KotlinDetector.isSuspendingFunction(this.method)) {
				return false;
			}
			List<Class<?>> given = new ArrayList<>(this.parameters);
			List<Class<?>> taken = FallbackResolver.parameters(fallback, type);
			if (taken.size() == given.size() + 1) {
				given.add(LockNotAcquiredException.class);
			}
			return taken.size() == given.size() && IntStream.range(0, taken.size())
				.allMatch((position) -> ClassUtils.isAssignable(taken.get(position), given.get(position)));
		}

		String of(String name) {
			return (KotlinDetector.isSuspendingFunction(this.method) ? "suspend " : "")
					+ ReturnKind.result(this.method).getSimpleName() + ' ' + name
					+ InvalidAnnotation.parameters(this.parameters);
		}

	}

}
