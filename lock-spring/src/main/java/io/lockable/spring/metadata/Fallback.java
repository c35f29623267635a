package io.lockable.spring.metadata;

import io.lockable.Internal;
import io.lockable.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * What runs instead of a method whose lock was not acquired. Thread-safe.
 */
@Internal
@FunctionalInterface
public interface Fallback {

	/**
	 * Calls the fallback.
	 * @param target the object whose method is not run
	 * @param arguments the arguments of the call
	 * @param failure why the method is not run
	 * @return what the call returns
	 * @throws Throwable what the fallback throws
	 */
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException failure) throws Throwable;

}
