package io.lockable.annotation;

import java.lang.reflect.Method;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * Builds the keys of annotated calls. Implementations are beans that
 * {@link DistributedLockable#keyBuilder()} names. They must be thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKeyBuilder {

	/**
	 * Builds the keys of one call, before the method runs.
	 * @param method the annotated method
	 * @param target the target object of the call
	 * @param arguments the arguments of the call
	 * @return the keys without prefix, each of which declares a lock; not empty, without
	 * null or blank elements
	 */
	Collection<String> build(Method method, Object target, @Nullable Object[] arguments);

}
