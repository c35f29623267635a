package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;

/**
 * Catches what the pointcut of {@link DistributedLockAspect} cannot see, and only that:
 * no call is locked twice.
 */
final class InheritedLockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private final transient AspectJExpressionPointcut aspectPointcut;

	InheritedLockAdvisor(LockedInvoker invoker, int order, BeanFactory beanFactory) {
		super((MethodInterceptor) (invocation) -> invoker.invoke(invocation.getMethod(),
				Objects.requireNonNull(invocation.getThis(), "A lock needs an object behind the proxy"),
				invocation.getArguments(), invocation::proceed));
		setOrder(order);
		setClassFilter(AnnotatedTypes::isAnnotated);
		this.aspectPointcut = new AspectJExpressionPointcut();
		this.aspectPointcut.setExpression(DistributedLockAspect.POINTCUT);
		this.aspectPointcut.setBeanFactory(beanFactory);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return LockableMethod.find(method, targetClass) != null && !this.aspectPointcut.matches(method, targetClass);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this);
	}

}
