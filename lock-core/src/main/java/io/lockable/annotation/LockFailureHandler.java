package io.lockable.annotation;

import java.lang.reflect.Method;

import io.lockable.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Determines the outcome of an annotated call if another owner holds its lock until the
 * wait time is over. Implementations are beans that
 * {@link DistributedLockable#failureHandler()} names. They must be thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Handles one call. The method is not run, and no lock is held.
	 * @param method the annotated method
	 * @param target the target object of the call
	 * @param arguments the arguments of the call
	 * @param failure the contention, with the name of the lock; may be thrown
	 * @return the result of the call, which must fit the method
	 * @throws Throwable if the call is to fail with it
	 */
	@Nullable Object handle(Method method, Object target, @Nullable Object[] arguments, LockNotAcquiredException failure)
			throws Throwable;

}
