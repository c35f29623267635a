package io.lockable.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LockSettings;
import io.lockable.spring.metadata.AnnotatedTypes;
import io.lockable.spring.metadata.InvalidAnnotation;
import io.lockable.spring.metadata.LockOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.core.Conventions;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds annotations that cannot work: at startup for every bean of a known type,
 * otherwise at the creation of the bean. It also finds annotated beans without a proxy,
 * whose methods would run unlocked.
 *
 * <p>
 * A bean with a definition and an object that Spring has not created is a replacement.
 * {@code @MockitoBean}, {@code @TestBean} and other singleton registrations create such
 * beans. They are neither validated nor locked.
 */
final class AnnotatedBeanValidator
		implements BeanDefinitionRegistryPostProcessor, BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {

	private static final Logger logger = LoggerFactory.getLogger(AnnotatedBeanValidator.class);

	// Set by @Proxyable of Spring 7
	private static final String EXPOSED_INTERFACES = Conventions.getQualifiedAttributeName(AutoProxyUtils.class,
			"exposedInterfaces");

	// The names of valid beans with their types: beans of one class may have different
	// lifecycle methods, and one definition may create objects of several types
	private final Set<String> valid = ConcurrentHashMap.newKeySet();

	// The names of the annotated beans that Spring has created itself
	private final Set<String> created = ConcurrentHashMap.newKeySet();

	private final ConfigurableListableBeanFactory beanFactory;

	private final Supplier<LockOperations> operations;

	private final Supplier<LockSettings> settings;

	private volatile boolean annotated;

	/**
	 * Creates a validator.
	 * @param beanFactory the bean factory
	 * @param operations parses the annotations
	 * @param settings the reactions to annotations without effect
	 */
	AnnotatedBeanValidator(ConfigurableListableBeanFactory beanFactory, Supplier<LockOperations> operations,
			Supplier<LockSettings> settings) {
		this.beanFactory = beanFactory;
		this.operations = SingletonSupplier.of(operations);
		this.settings = SingletonSupplier.of(settings);
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
	}

	// Includes the beans of other post-processors, before those run
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		Set<String> names = this.created;
		beanFactory.addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String beanName) {
				if (AnnotatedTypes.isAnnotated(bean.getClass())) {
					names.add(beanName);
				}
				return bean;
			}

		});
	}

	// Runs before the proxy is created: Spring's message for a final class does not
	// mention locks
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	// Runs before Spring calls a lifecycle method
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		validate(ClassUtils.getUserClass(bean), beanName);
		return bean;
	}

	// The products of factory beans are not initialized
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		validate(ClassUtils.getUserClass(AopUtils.getTargetClass(bean)), beanName);
		validateProxy(bean, beanName);
		return bean;
	}

	// A proxy that the application has made is locked by the annotations of its
	// interfaces only
	private void validateProxy(Object bean, String beanName) {
		Object target = bean;
		while (target instanceof Advised proxy) {
			if (AnnotatedTypes.isAnnotated(target.getClass()) || LockAdvisor.isIn(proxy)) {
				return;
			}
			target = AopProxyUtils.getSingletonTarget(target);
		}
		if (target != null && target != bean && needsProxy(target.getClass())) {
			reportUnlocked(beanName, target.getClass(),
					"Annotate the interface, or let Spring create the object as a bean, and put your proxy around that bean.");
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		AnnotatedTypes.forEachBean(this.beanFactory, (beanName, type) -> {
			Object bean = this.beanFactory.containsSingleton(beanName) ? this.beanFactory.getSingleton(beanName) : null;
			if (type.isInstance(bean) && this.beanFactory.containsBeanDefinition(beanName)
					&& !this.created.contains(beanName)) {
				return;
			}
			validate(type, beanName);
			if (needsProxy(type) && type.isInstance(bean) && !AopUtils.isAopProxy(bean)) {
				reportUnlocked(beanName, type,
						"Do not annotate bean post-processors, the beans that they depend on, or singletons registered by hand: Spring makes no proxies for these.");
			}
		});
		if (this.annotated) {
			this.operations.get().validateBeans();
		}
	}

	private void validate(Class<?> type, String beanName) {
		// The names of inner beans are unbounded
		String key = (this.beanFactory.containsBeanDefinition(beanName) ? beanName : "") + '|' + type.getName();
		if (!AnnotatedTypes.isAnnotated(type) || this.valid.contains(key)) {
			return;
		}
		Set<Method> methods = AnnotatedTypes.annotatedMethods(type);
		this.annotated = this.annotated || !methods.isEmpty();
		validateLifecycle(methods, type, beanName);
		for (Method method : methods) {
			if (!Weaving.isWoven(method, type)) {
				validateReach(method, type, beanName);
			}
			this.operations.get().get(method, type);
		}
		this.valid.add(key);
	}

	private static boolean needsProxy(Class<?> type) {
		return AnnotatedTypes.annotatedMethods(type).stream().anyMatch((method) -> !Weaving.isWoven(method, type));
	}

	private void validateLifecycle(Set<Method> methods, Class<?> type, String beanName) {
		LifecycleMethods.find(methods, type, beanName, this.beanFactory)
			.forEach((method, atEnd) -> report(InvalidAnnotation.of(method,
					"Spring calls it directly when it %s the bean '%s', past the proxy and without the lock"
						.formatted(atEnd ? "destroys" : "initializes", beanName),
					atEnd ? "Do it in the stop() of a SmartLifecycle or in an "
							+ "@EventListener(ContextClosedEvent.class) method: locks can no longer be acquired when "
							+ "beans are destroyed."
							: "Do it in an ApplicationRunner or an @EventListener(ApplicationReadyEvent.class) method, or lock inside with DistributedLocks.get(...).run(...).")));
	}

	private void validateReach(Method method, Class<?> type, String beanName) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			report(InvalidAnnotation.of(method,
					"a %s method cannot be intercepted, and would run unlocked"
						.formatted(Modifier.isPrivate(modifiers) ? "private" : "static"),
					"Make it a public instance method and call it from another bean, lock inside with DistributedLocks.get(...).call(...), or weave the aspect with AspectJ."));
			return;
		}
		boolean finalClass = Modifier.isFinal(type.getModifiers());
		if ((finalClass || Modifier.isFinal(modifiers)) && !isCalledThroughInterface(method, type, beanName)) {
			report(InvalidAnnotation.of(method,
					"a %s cannot be intercepted by a class proxy, and the method would run unlocked"
						.formatted(finalClass ? "final class" : "final method"),
					"Remove 'final', lock inside the method with DistributedLocks.get(...).call(...), or weave the aspect with AspectJ."));
		}
	}

	private void reportUnlocked(String beanName, Class<?> type, String action) {
		report(new InvalidDistributedLockableException(
				"@DistributedLockable cannot work on the bean '%s' (%s): it has no proxy that locks, and its methods would run unlocked."
					.formatted(beanName, type.getName()),
				action, null));
	}

	private void report(InvalidDistributedLockableException problem) {
		switch (this.settings.get().neverLocked()) {
			case FAIL -> throw problem;
			case WARN -> logger.warn("{}", problem.getMessage());
			case IGNORE -> {
			}
		}
	}

	private boolean isCalledThroughInterface(Method method, Class<?> type, String beanName) {
		if (type.isInterface() || Proxy.isProxyClass(type)) {
			return true;
		}
		return !isClassProxied(beanName)
				&& ClassUtils.getInterfaceMethodIfPossible(method, type).getDeclaringClass().isInterface();
	}

	private boolean isClassProxied(String beanName) {
		boolean byInterfaces = this.beanFactory.containsBeanDefinition(beanName)
				&& this.beanFactory.getBeanDefinition(beanName).hasAttribute(EXPOSED_INTERFACES);
		return !byInterfaces && ((proxyCreator() instanceof ProxyConfig config && config.isProxyTargetClass())
				|| AutoProxyUtils.shouldProxyTargetClass(this.beanFactory, beanName));
	}

	private Object proxyCreator() {
		return this.beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
	}

}
