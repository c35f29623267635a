package io.lockable.spring.expression;

import java.util.List;

import io.lockable.Internal;
import io.lockable.LockKeyException;

/**
 * Where the keys of an annotation come from. Thread-safe.
 */
@Internal
public interface KeySource {

	/**
	 * How many keys a call may lock: a request could be made to give any number.
	 */
	int MAX_KEYS = 1_000;

	/**
	 * Builds the keys of one call.
	 * @param prefix what stands before each of them
	 * @param target the object that is called
	 * @param context the arguments of the call
	 * @return the full names of the locks, of which some may be equal; at least one
	 * @throws LockKeyException if a key is null, blank, or cannot be built, or if there
	 * are too many
	 */
	List<String> evaluate(String prefix, Object target, ArgumentContext context);

}
