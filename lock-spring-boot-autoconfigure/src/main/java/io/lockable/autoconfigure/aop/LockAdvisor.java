package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

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
import org.springframework.util.function.SingletonSupplier;

/**
 * Applies the locks by Spring's proxies, to all that is annotated however far away. Types
 * without the annotation are sorted out first, since each one that a pointcut of AspectJ
 * has to look at lengthens the start of an application.
 *
 * <p>
 * It is made together with the first beans, since each of them is looked at. So what it
 * needs is made when the first annotated one comes, and in most starts never.
 *
 * <p>
 * Where AspectJ has woven {@link DistributedLockAspect} into a class, this catches what
 * the pointcut of that one cannot see, and only that: no call is locked twice.
 */
final class LockAdvisor extends StaticMethodMatcherPointcut implements PointcutAdvisor, Ordered {

	private final MethodInterceptor advice;

	private final IntSupplier order;

	private final Supplier<AspectJExpressionPointcut> aspectPointcut;

	/**
	 * Creates an advisor.
	 * @param invoker runs the calls; asked at the first one
	 * @param order the order among other advisors; asked when there are others
	 * @param beanFactory the application's beans
	 */
	LockAdvisor(Supplier<LockedInvoker> invoker, IntSupplier order, BeanFactory beanFactory) {
		Supplier<LockedInvoker> calls = SingletonSupplier.of(invoker);
		this.advice = (invocation) -> calls.get()
			.invoke(invocation.getMethod(),
					Objects.requireNonNull(invocation.getThis(), "A lock needs an object behind the proxy"),
					invocation.getArguments(), repeatable(invocation));
		this.order = order;
		this.aspectPointcut = SingletonSupplier.of(() -> aspectPointcut(beanFactory));
		setClassFilter(AnnotatedTypes::isAnnotated);
	}

	private static AspectJExpressionPointcut aspectPointcut(BeanFactory beanFactory) {
		AspectJExpressionPointcut pointcut = new AspectJExpressionPointcut();
		pointcut.setExpression(DistributedLockAspect.POINTCUT);
		pointcut.setBeanFactory(beanFactory);
		return pointcut;
	}

	// An invocation can be proceeded with once; each subscription needs one of its own
	private static LockedCall.Body repeatable(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? () -> proxied.invocableClone().proceed()
				: invocation::proceed;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return LockableMethod.find(method, targetClass) != null
				&& !(Weaving.isWoven(targetClass) && this.aspectPointcut.get().matches(method, targetClass));
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
		return this.order.getAsInt();
	}

}
