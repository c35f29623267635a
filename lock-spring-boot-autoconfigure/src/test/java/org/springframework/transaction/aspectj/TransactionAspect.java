package org.springframework.transaction.aspectj;

import io.lockable.autoconfigure.aop.WovenApplication;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;

/**
 * Replaces Spring's aspect for woven transactions, and records whether the lock is held
 * when a transaction begins.
 */
@Aspect
public final class TransactionAspect {

	private static final ThreadLocal<String> SEEN = ThreadLocal.withInitial(() -> "no transaction");

	/**
	 * Begins a transaction.
	 * @param joinPoint the call
	 * @return the result of the method
	 * @throws Throwable the exception of the method
	 */
	@Around("execution(@org.springframework.transaction.annotation.Transactional * *(..))")
	public Object begin(ProceedingJoinPoint joinPoint) throws Throwable {
		WovenApplication.Service service = (WovenApplication.Service) joinPoint.getTarget();
		SEEN.set((service.count("woven") == 1) ? "lock first" : "transaction first");
		return joinPoint.proceed();
	}

	/**
	 * Returns the recorded order.
	 * @return the first event
	 */
	public static String seen() {
		return SEEN.get();
	}

}
