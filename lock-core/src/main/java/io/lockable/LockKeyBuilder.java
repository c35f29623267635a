package io.lockable;

import java.lang.reflect.Method;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * Builds the keys of annotated calls by a rule of its own: a bean that
 * {@link DistributedLockable#keyBuilder()} names. Must be thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKeyBuilder {

	/**
	 * Builds the keys of one call, before the method runs.
	 * @param method the annotated method
	 * @param target the object that it is called on
	 * @param arguments the arguments of the call
	 * @return the keys without prefix, each of which means a lock; not empty, and none of
	 * them null or blank
	 */
	Collection<String> build(Method method, Object target, @Nullable Object[] arguments);

}
