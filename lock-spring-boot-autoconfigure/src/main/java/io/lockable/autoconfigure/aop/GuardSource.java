package io.lockable.autoconfigure.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockable.LockExpressionException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.LockType;
import io.lockable.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * What one annotation says of its locks, parsed. Thread-safe.
 *
 * @param method the annotated method, for messages
 * @param condition whether to lock, or {@code null} for always
 * @param prefix what stands before the key in the store
 * @param key the key
 * @param options how to acquire, keep and release them
 * @param type whom they shut out
 * @param permits how many may hold one at once
 * @param onLost what happens when one is lost while the method runs
 * @param locks what has them
 * @param names the names of the method's arguments
 * @param parser what has parsed the expressions
 */
record GuardSource(String method, @Nullable ConditionExpression condition, String prefix, KeySource key,
		OptionsSource options, LockType type, int permits, OnLost onLost, LocksReference locks, ArgumentNames names,
		TemplateParser parser) {

	/**
	 * Evaluates the locks of one call.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @return the locks, of which some may have the same key; none if the condition does
	 * not hold
	 * @throws LockKeyException if the key cannot be built
	 * @throws LockExpressionException if another attribute cannot be evaluated
	 */
	List<Guard> guards(Object target, @Nullable Object[] arguments) {
		ArgumentContext context = this.parser.bind(this.names, arguments);
		try {
			if (this.condition != null && !this.condition.holds(context)) {
				return List.of();
			}
			List<String> keys = this.key.evaluate(this.prefix, target, context);
			LockOptions lockOptions = this.options.options(context);
			return guards(keys, lockOptions, this.options.minHold(lockOptions, context));
		}
		catch (InvalidValueException ex) {
			throw new LockExpressionException("No lock for %s: %s. Nothing was locked, and the method was not run."
				.formatted(this.method, ex.getMessage()), ex.getCause());
		}
	}

	private List<Guard> guards(List<String> keys, LockOptions lockOptions, Duration minHold) {
		if (keys.size() == 1) {
			return List.of(guard(keys.get(0), lockOptions, minHold));
		}
		List<Guard> guards = new ArrayList<>(keys.size());
		for (String each : keys) {
			guards.add(guard(each, lockOptions, minHold));
		}
		return guards;
	}

	private Guard guard(String fullKey, LockOptions lockOptions, Duration minHold) {
		return new Guard(fullKey, lockOptions, this.type, this.permits, minHold, this.onLost, this.locks);
	}

}
