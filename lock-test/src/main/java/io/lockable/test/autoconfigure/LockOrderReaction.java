package io.lockable.test.autoconfigure;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The reaction to orders of locks that contradict each other, by the property
 * {@value #PROPERTY}.
 */
enum LockOrderReaction {

	/**
	 * The test fails.
	 */
	FAIL,

	/**
	 * A warning is logged after the test.
	 */
	WARN,

	/**
	 * No order is recorded.
	 */
	OFF;

	static final String PROPERTY = "lockable.test.lock-order";

	static LockOrderReaction of(Environment environment) {
		return Binder.get(environment).bind(PROPERTY, LockOrderReaction.class).orElse(FAIL);
	}

	/**
	 * Matches unless no order is recorded.
	 */
	static final class OnNotOff implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return of(context.getEnvironment()) != OFF;
		}

	}

}
