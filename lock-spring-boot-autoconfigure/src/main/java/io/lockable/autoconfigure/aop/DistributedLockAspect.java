package io.lockable.autoconfigure.aop;

import io.lockable.DistributedLockable;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;

/**
 * Runs methods under the lock that their {@link DistributedLockable} names.
 *
 * <p>
 * The pointcut says all that AspectJ can say: annotated methods, and the public methods
 * of annotated classes. Annotations on interfaces, on overridden methods, and
 * meta-annotations are beyond it; {@link InheritedLockAdvisor} catches those.
 *
 * @since 0.1.0
 */
@Aspect
public final class DistributedLockAspect implements Ordered {

	static final String POINTCUT = "execution(@io.lockable.DistributedLockable * *(..))"
			+ " || execution(@io.lockable.DistributedLockables * *(..))"
			+ " || ((execution(public !static * (@io.lockable.DistributedLockable *).*(..))"
			+ " || execution(public !static * (@io.lockable.DistributedLockables *).*(..)))"
			+ " && !execution(* java.lang.Object.*(..)))";

	private final LockedInvoker invoker;

	private final int order;

	DistributedLockAspect(LockedInvoker invoker, int order) {
		this.invoker = invoker;
		this.order = order;
	}

	/**
	 * Runs a call under its lock.
	 * @param joinPoint the call
	 * @return what the method returns
	 * @throws Throwable what the method throws, or why there is no lock
	 */
	@Around(POINTCUT)
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		MethodSignature signature = (MethodSignature) joinPoint.getSignature();
		return this.invoker.invoke(signature.getMethod(), joinPoint.getTarget(), joinPoint.getArgs(),
				joinPoint::proceed);
	}

	@Override
	public int getOrder() {
		return this.order;
	}

}
