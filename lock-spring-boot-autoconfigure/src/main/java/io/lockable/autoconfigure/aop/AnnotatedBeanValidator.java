package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds annotations that cannot work: at start for every bean whose type is known then,
 * and else when the bean is created. Also finds annotated beans without a proxy, whose
 * methods would run unlocked.
 */
final class AnnotatedBeanValidator implements BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {

	private final Set<Class<?>> valid = ConcurrentHashMap.newKeySet();

	private final ConfigurableListableBeanFactory beanFactory;

	private final Supplier<LockedOperations> operations;

	AnnotatedBeanValidator(ConfigurableListableBeanFactory beanFactory, Supplier<LockedOperations> operations) {
		this.beanFactory = beanFactory;
		this.operations = SingletonSupplier.of(operations);
	}

	// Before the proxy is made, because Spring's message for a final class says nothing
	// of locks
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		validate(AopUtils.getTargetClass(bean), beanName);
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		boolean aspects = appliesAspects();
		AnnotatedBeans.forEach(this.beanFactory, (beanName, type) -> {
			validate(type, beanName);
			Object bean = this.beanFactory.containsSingleton(beanName) ? this.beanFactory.getSingleton(beanName) : null;
			if (!aspects || (type.isInstance(bean) && !AopUtils.isAopProxy(bean))) {
				throw new InvalidDistributedLockableException(
						"@DistributedLockable cannot work on the bean '%s' (%s): no proxy applies the aspect, and its methods would run unlocked."
							.formatted(beanName, type.getName()),
						"Add spring-boot-starter-aspectj, do not set spring.aop.auto=false without @EnableAspectJAutoProxy, and do not annotate what Spring creates before its proxies: bean post-processors, what they depend on, and singletons registered by hand.",
						null);
			}
		});
	}

	private void validate(Class<?> type, String beanName) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		if (!this.valid.contains(userClass)) {
			for (Method method : AnnotatedBeans.annotatedMethods(userClass)) {
				validate(method, userClass, beanName);
			}
			this.valid.add(userClass);
		}
	}

	private void validate(Method method, Class<?> type, String beanName) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			throw InvalidDistributedLockableException.of(method,
					"a %s method cannot be intercepted, and would run unlocked"
						.formatted(Modifier.isPrivate(modifiers) ? "private" : "static"),
					"Make it a public instance method and call it from another bean, or lock inside with DistributedLocks.");
		}
		boolean finalClass = Modifier.isFinal(type.getModifiers());
		if ((finalClass || Modifier.isFinal(modifiers)) && !isCalledThroughInterface(method, type, beanName)) {
			throw InvalidDistributedLockableException.of(method,
					"a %s cannot be intercepted by a class proxy, and the method would run unlocked"
						.formatted(finalClass ? "final class" : "final method"),
					"Remove 'final', or lock inside the method with DistributedLocks.");
		}
		this.operations.get().get(method, type);
	}

	private boolean isCalledThroughInterface(Method method, Class<?> type, String beanName) {
		if (type.isInterface() || Proxy.isProxyClass(type)) {
			return true;
		}
		return !isClassProxied(beanName)
				&& ClassUtils.getInterfaceMethodIfPossible(method, type).getDeclaringClass().isInterface();
	}

	// Transactions alone bring a creator of proxies that knows no aspects
	private boolean appliesAspects() {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return ClassUtils.isPresent("org.aspectj.weaver.Advice", this.beanFactory.getBeanClassLoader())
				&& this.beanFactory.containsBean(creator)
				&& this.beanFactory.getBean(creator) instanceof AnnotationAwareAspectJAutoProxyCreator;
	}

	private boolean isClassProxied(@Nullable String beanName) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return (this.beanFactory.containsBean(creator)
				&& this.beanFactory.getBean(creator) instanceof ProxyConfig config && config.isProxyTargetClass())
				|| AutoProxyUtils.shouldProxyTargetClass(this.beanFactory, beanName);
	}

}
