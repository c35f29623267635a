package io.lockable.spring.aop;

import java.lang.reflect.Method;
import java.util.Objects;

import io.lockable.DistributedLockable;
import io.lockable.LockException;
import io.lockable.spring.call.LockedInvoker;
import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;

/**
 * Runs methods under the lock that their {@link DistributedLockable} names.
 *
 * <p>
 * The pointcut says all that AspectJ can say: methods that are annotated, also with an
 * annotation that is annotated itself, and the public methods of annotated classes.
 * Annotations on interfaces, on overridden methods, and at a greater distance are beyond
 * it; {@link LockAdvisor} catches those, if the object has a proxy.
 *
 * <p>
 * AspectJ weaves it into classes, at load time or before. Then there is one for all
 * applications of the class loader, and the one that started last configures it, until it
 * closes. Objects of classes that are not woven get a proxy with the {@link LockAdvisor}
 * instead.
 *
 * <p>
 * It comes before the transactions of a woven method. Its order says nothing of that: it
 * is for proxies.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("io.lockable.spring.aop.DistributedLockAspect, org.springframework.transaction.aspectj..*")
public final class DistributedLockAspect implements Ordered {

	static final String POINTCUT = "execution(@io.lockable.DistributedLockable * *(..))"
			+ " || execution(@io.lockable.DistributedLockables * *(..))"
			+ " || execution(@(@io.lockable.DistributedLockable *) * *(..))"
			+ " || ((execution(public !static * (@io.lockable.DistributedLockable *).*(..))"
			+ " || execution(public !static * (@io.lockable.DistributedLockables *).*(..)))"
			+ " && !execution(* java.lang.Object.*(..)))";

	private volatile @Nullable Invoker invoker;

	private volatile int order;

	/**
	 * Creates the instance that AspectJ asks for when it has woven the aspect. It locks
	 * nothing, and lets nothing run, until an application has configured it.
	 */
	public DistributedLockAspect() {
	}

	/**
	 * Returns the aspect of an application: the one that AspectJ has made, if it has.
	 * @param invoker runs the calls
	 * @param order the order among other aspects
	 * @return the aspect, configured
	 */
	static DistributedLockAspect configured(Invoker invoker, int order) {
		DistributedLockAspect aspect = Weaving.isAspectWoven() ? Aspects.aspectOf(DistributedLockAspect.class)
				: new DistributedLockAspect();
		aspect.order = order;
		aspect.invoker = invoker;
		return aspect;
	}

	/**
	 * Lets nothing run any more, unless another application has configured the aspect
	 * meanwhile.
	 * @param invoker what it was configured with
	 */
	static void closed(Invoker invoker) {
		DistributedLockAspect aspect = Aspects.aspectOf(DistributedLockAspect.class);
		if (aspect.invoker == invoker) {
			aspect.invoker = null;
		}
	}

	/**
	 * Runs a call under its locks.
	 * @param joinPoint the call
	 * @return what the method returns
	 * @throws Throwable what the method throws, or why there is no lock
	 */
	@Around(POINTCUT)
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		Invoker configured = this.invoker;
		if (configured == null) {
			throw new LockException(
					"No lock for %s: AspectJ has woven the aspect, but no application with distributed locks is running. The method was not run."
						.formatted(joinPoint.getSignature().toShortString()));
		}
		return configured.invoke(joinPoint);
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	/**
	 * Runs one call.
	 */
	interface Invoker {

		@Nullable Object invoke(ProceedingJoinPoint joinPoint) throws Throwable;

		/**
		 * Runs calls under their locks.
		 * @param invoker knows the locks
		 * @return the invoker of an aspect
		 */
		static Invoker of(LockedInvoker invoker) {
			return (joinPoint) -> {
				Method method = ((MethodSignature) joinPoint.getSignature()).getMethod();
				Object target = Objects.requireNonNull(joinPoint.getTarget(), "A static method cannot be locked");
				Object[] arguments = joinPoint.getArgs();
				return ProxyCall.take(target, method, arguments) ? joinPoint.proceed()
						: invoker.invoke(method, target, arguments, joinPoint::proceed);
			};
		}

	}

}
