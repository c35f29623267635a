package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.util.Objects;

import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;

/**
 * Applies the locks by Spring's proxies, to all that is annotated however far away. Types
 * without the annotation are sorted out first, since each one that a pointcut of AspectJ
 * has to look at lengthens the start of an application.
 *
 * <p>
 * Where AspectJ has woven {@link DistributedLockAspect} into a class, this catches what
 * the pointcut of that one cannot see, and only that: no call is locked twice.
 */
final class LockAdvisor extends StaticMethodMatcherPointcut implements PointcutAdvisor, Ordered {

	private final MethodInterceptor advice;

	private final int order;

	private final AspectJExpressionPointcut aspectPointcut = new AspectJExpressionPointcut();

	LockAdvisor(LockedInvoker invoker, int order, BeanFactory beanFactory) {
		this.advice = (invocation) -> invoker.invoke(invocation.getMethod(),
				Objects.requireNonNull(invocation.getThis(), "A lock needs an object behind the proxy"),
				invocation.getArguments(), repeatable(invocation));
		this.order = order;
		this.aspectPointcut.setExpression(DistributedLockAspect.POINTCUT);
		this.aspectPointcut.setBeanFactory(beanFactory);
		setClassFilter(AnnotatedTypes::isAnnotated);
	}

	// An invocation can be proceeded with once; each subscription needs one of its own
	private static LockedCall.Body repeatable(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? () -> proxied.invocableClone().proceed()
				: invocation::proceed;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return LockableMethod.find(method, targetClass) != null
				&& !(Weaving.isWoven(targetClass) && this.aspectPointcut.matches(method, targetClass));
	}

	@Override
	public Pointcut getPointcut() {
		return this;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

}
