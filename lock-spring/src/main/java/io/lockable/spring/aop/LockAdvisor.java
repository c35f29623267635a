package io.lockable.spring.aop;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockable.spring.LockSettings;
import io.lockable.spring.aop.DistributedLockAspect.Invoker;
import io.lockable.spring.call.LockedInvoker;
import io.lockable.spring.metadata.AnnotatedTypes;
import io.lockable.spring.metadata.LockableMethod;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * Applies the locks through Spring's proxies, for annotations at any distance. It
 * excludes types without the annotation first, because each method that is examined slows
 * application startup.
 *
 * <p>
 * The advisor is created with the first beans, because it examines each of them. Its
 * dependencies are created with the first annotated bean, and thus in most applications
 * never.
 *
 * <p>
 * If AspectJ has woven {@link DistributedLockAspect} into the method as well, the aspect
 * learns that the call is locked. If a bean has two proxies, because there are two proxy
 * creators, the inner one locks. No call is therefore locked twice.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@SuppressWarnings("serial")
final class LockAdvisor extends StaticMethodMatcherPointcutAdvisor implements DisposableBean {

	private final Supplier<LockedInvoker> invoker;

	private final IntSupplier order;

	private final @Nullable Invoker wovenInvoker;

	/**
	 * Creates an advisor. It configures the aspect, if that is woven.
	 * @param invoker runs the calls; requested with the first call
	 * @param settings the order among other advisors; requested when there are others
	 */
	LockAdvisor(ObjectProvider<LockedInvoker> invoker, ObjectProvider<LockSettings> settings) {
		this.invoker = SingletonSupplier.of(invoker::getObject);
		this.order = () -> LockedMethodsSelector.get(settings).order();
		this.wovenInvoker = Weaving.isAspectWoven() ? Invoker.of(invoker.getObject()) : null;
		if (this.wovenInvoker != null) {
			DistributedLockAspect.configured(this.wovenInvoker);
		}
		setClassFilter(AnnotatedTypes::isAnnotated);
		setAdvice((MethodInterceptor) this::invoke);
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis(), "A lock needs an object behind the proxy");
		if (target instanceof Advised inner && isIn(inner)) {
			return invocation.proceed();
		}
		Method method = invocation.getMethod();
		LockedInvoker.Body body = repeatable(invocation);
		if (this.wovenInvoker != null) {
			ProxyCall call = new ProxyCall(target, AopUtils.getMostSpecificMethod(method, target.getClass()),
					invocation.getArguments());
			return this.invoker.get().invoke(method, target, invocation.getArguments(), () -> call.run(body));
		}
		return this.invoker.get().invoke(method, target, invocation.getArguments(), body);
	}

	/**
	 * Returns whether a proxy locks annotated methods.
	 * @param proxy the proxy
	 * @return whether it has such an advisor
	 */
	static boolean isIn(Advised proxy) {
		return Stream.of(proxy.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
	}

	// An invocation proceeds only once; each subscription needs its own
	private static LockedInvoker.Body repeatable(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? () -> proxied.invocableClone().proceed()
				: invocation::proceed;
	}

	@Override
	public void destroy() {
		if (this.wovenInvoker != null) {
			DistributedLockAspect.closed(this.wovenInvoker);
		}
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return LockableMethod.find(method, targetClass) != null;
	}

	@Override
	public int getOrder() {
		return this.order.getAsInt();
	}

}
