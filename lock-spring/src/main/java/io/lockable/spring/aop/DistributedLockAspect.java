package io.lockable.spring.aop;

import java.lang.reflect.Method;
import java.util.Objects;

import io.lockable.LockException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.call.LockedInvoker;
import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * The aspect that runs methods under the lock of their {@link DistributedLockable}.
 *
 * <p>
 * The pointcut covers what AspectJ can express: methods with the annotation or a composed
 * annotation, and the public methods of annotated classes. It does not cover annotations
 * on interfaces, on overridden methods, or deeper meta-annotations. {@link LockAdvisor}
 * covers those if the object has a proxy.
 *
 * <p>
 * AspectJ weaves the aspect into classes, at load time or before. There is then one
 * instance for all applications of the class loader. The application that started last
 * configures it, until that application closes. Objects of classes that are not woven get
 * a proxy with the {@link LockAdvisor} instead.
 *
 * <p>
 * In a woven method, the aspect precedes the transaction aspect, for any order of the
 * settings: that order applies to proxies.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("io.lockable.spring.aop.DistributedLockAspect, org.springframework.transaction.aspectj..*")
public final class DistributedLockAspect {

	static final String POINTCUT = "execution(@io.lockable.annotation.DistributedLockable * *(..))"
			+ " || execution(@io.lockable.annotation.DistributedLockable.List * *(..))"
			+ " || execution(@(@io.lockable.annotation.DistributedLockable *) * *(..))"
			+ " || ((execution(public !static * (@io.lockable.annotation.DistributedLockable *).*(..))"
			+ " || execution(public !static * (@io.lockable.annotation.DistributedLockable.List *).*(..)))"
			+ " && !execution(* java.lang.Object.*(..)))";

	private volatile @Nullable Invoker invoker;

	/**
	 * Creates the instance for AspectJ, which requests it once the aspect is woven. Until
	 * an application configures it, each call of a woven method fails.
	 */
	public DistributedLockAspect() {
	}

	/**
	 * Configures the instance of AspectJ, which exists.
	 * @param invoker runs the calls
	 */
	static void configured(Invoker invoker) {
		Aspects.aspectOf(DistributedLockAspect.class).invoker = invoker;
	}

	/**
	 * Makes further calls fail, unless another application has configured the aspect
	 * since.
	 * @param invoker the invoker of the closed application
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
	 * @return the result of the method
	 * @throws Throwable the exception of the method, or of the acquisition
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

	/**
	 * Runs one call.
	 */
	interface Invoker {

		@Nullable Object invoke(ProceedingJoinPoint joinPoint) throws Throwable;

		/**
		 * Returns an invoker that runs calls under their locks.
		 * @param invoker acquires the locks
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
