package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.lockable.LockKeyException;
import io.lockable.annotation.LockKeyBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a {@link LockKeyBuilder} builds.
 *
 * @param name the name of the bean
 * @param builder supplies the builder
 * @param method the annotated method
 */
record BuiltKey(String name, Supplier<LockKeyBuilder> builder, Method method) {

	// Older javac versions miss that the elements of the builder's array are nullable
	/**
	 * Builds the keys of one call.
	 * @param prefix the prefix of each key
	 * @param target the called object
	 * @param context the arguments of the call
	 * @return the full names of the locks; at least one, possibly with duplicates
	 * @throws LockKeyException if the builder fails, or returns no key, too many keys, or
	 * a null or blank key
	 */
	@SuppressWarnings("NullAway")
	List<String> evaluate(String prefix, Object target, ArgumentContext context) {
		List<String> keys = new ArrayList<>();
		try {
			for (String key : this.builder.get().build(this.method, target, context.arguments())) {
				if (key == null || key.isBlank()) {
					throw failure("it returned a null or blank key", null);
				}
				if (keys.size() == KeyTemplate.MAX_KEYS) {
					throw failure("it returned more than %d keys".formatted(KeyTemplate.MAX_KEYS), null);
				}
				keys.add(prefix + key);
			}
		}
		catch (LockKeyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw failure(ex.toString(), ex);
		}
		if (keys.isEmpty()) {
			throw failure("it returned no key", null);
		}
		return keys;
	}

	private LockKeyException failure(String reason, @Nullable Throwable cause) {
		return new LockKeyException(
				"No lock for %s: the key builder '%s' failed (%s). Nothing was locked, and the method was not run."
					.formatted(InvalidAnnotation.describe(this.method), this.name, reason),
				cause);
	}

}
