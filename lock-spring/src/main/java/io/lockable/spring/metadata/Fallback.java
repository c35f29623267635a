package io.lockable.spring.metadata;

import io.lockable.Internal;
import io.lockable.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * The replacement of a method whose lock was not acquired. Thread-safe.
 */
@Internal
@FunctionalInterface
public interface Fallback {

	/**
	 * Calls the fallback.
	 * @param target the object whose method is not run
	 * @param arguments the arguments of the call
	 * @param failure the reason why the method is not run
	 * @return the result of the call
	 * @throws Throwable the exception of the fallback
	 */
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException failure) throws Throwable;

}
