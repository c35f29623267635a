package io.lockable.spring.metadata;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.LockExpressionException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.LockType;
import io.lockable.OnLost;
import io.lockable.spring.expression.ArgumentContext;
import io.lockable.spring.expression.InvalidValueException;
import io.lockable.spring.expression.KeySource;
import io.lockable.spring.expression.KeyValue;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The parsed content of one annotation. Thread-safe.
 *
 * @param method the annotated method, for messages
 * @param condition whether to lock, or {@code null} for always
 * @param prefix the prefix of the keys
 * @param key the key
 * @param options evaluates how to acquire, keep and release the locks
 * @param type exclusive, read or write
 * @param permits how many may hold one at once
 * @param onLost the reaction to a loss while the method runs
 * @param locks gives the bean that has them, or {@code null} for the default one
 * @param binder binds the arguments of a call
 */
record LockMetadata(String method, @Nullable SpelExpression condition, String prefix, KeySource key,
		Function<ArgumentContext, LockOptions> options, LockType type, int permits, OnLost onLost,
		@Nullable Supplier<DistributedLocks> locks, Function<@Nullable Object[], ArgumentContext> binder) {

	/**
	 * Evaluates the locks of one call.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @return the locks, of which some may have the same key; none if the condition does
	 * not hold
	 * @throws LockKeyException if the key cannot be built
	 * @throws LockExpressionException if another attribute cannot be evaluated
	 */
	List<LockRequest> requests(Object target, @Nullable Object[] arguments) {
		ArgumentContext context = this.binder.apply(arguments);
		try {
			if (this.condition != null && !holds(this.condition, context)) {
				return List.of();
			}
			List<String> keys = this.key.evaluate(this.prefix, target, context);
			LockOptions callOptions = this.options.apply(context);
			return (keys.size() == 1) ? List.of(request(keys.get(0), callOptions))
					: keys.stream().map((each) -> request(each, callOptions)).toList();
		}
		catch (InvalidValueException ex) {
			throw new LockExpressionException("No lock for %s: %s. Nothing was locked, and the method was not run."
				.formatted(this.method, ex.getMessage()), ex.getCause());
		}
	}

	private static boolean holds(SpelExpression condition, ArgumentContext context) {
		Object value;
		try {
			value = KeyValue.of(condition, context);
		}
		catch (RuntimeException ex) {
			throw new InvalidValueException("condition = \"%s\" cannot be evaluated (%s)"
				.formatted(condition.getExpressionString(), ex.getMessage()), ex);
		}
		if (value instanceof Boolean holds) {
			return holds;
		}
		throw new InvalidValueException("condition = \"%s\" must evaluate to a boolean, was %s"
			.formatted(condition.getExpressionString(), (value != null) ? value.getClass().getTypeName() : null));
	}

	private LockRequest request(String fullKey, LockOptions callOptions) {
		return new LockRequest(fullKey, callOptions, this.type, this.permits, this.onLost, this.locks);
	}

}
