package io.lockable;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Decides how annotated calls end whose lock another owner holds until the wait is over:
 * a bean that {@link DistributedLockable#failureHandler()} names. Must be thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Handles one call. The method is not run, and no lock is held.
	 * @param method the annotated method
	 * @param target the object that it was called on
	 * @param arguments the arguments of the call
	 * @param failure which lock was not acquired; may be thrown
	 * @return what the call returns, which must fit the method
	 * @throws Throwable what the call throws
	 */
	@Nullable Object handle(Method method, Object target, @Nullable Object[] arguments, LockNotAcquiredException failure)
			throws Throwable;

}
