package io.lockable.test;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * An assertion whose message describes the lock.
 *
 * @param <S> the type of the assertion
 * @param <A> the type of the lock
 */
abstract class LockAssert<S extends LockAssert<S, A>, A> extends AbstractAssert<S, A> {

	LockAssert(@Nullable A actual, Class<S> type) {
		super(actual, type);
	}

	final S check(boolean asExpected, String message, Object... arguments) {
		if (!asExpected) {
			failWithMessage(message, arguments);
		}
		return this.myself;
	}

}
