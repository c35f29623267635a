package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.lockable.DistributedLockable;
import io.lockable.LockOptions;
import io.lockable.OnFailure;
import io.lockable.Renewal;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

/**
 * The operations of all annotated methods, each made once. Thread-safe; grows with the
 * number of annotated methods only.
 */
final class LockedOperations {

	private final ConcurrentMap<MethodClassKey, LockedOperation> operations = new ConcurrentHashMap<>();

	private final ConfigurableBeanFactory beanFactory;

	private final KeyExpressionParser parser;

	private final String prefix;

	private final LockOptions options;

	private final OnFailure onFailure;

	/**
	 * Creates the operations.
	 * @param beanFactory knows the beans that keys refer to
	 * @param prefix the default prefix
	 * @param options the default options
	 * @param onFailure the default outcome, never {@link OnFailure#DEFAULT}
	 */
	LockedOperations(ConfigurableBeanFactory beanFactory, String prefix, LockOptions options, OnFailure onFailure) {
		this.beanFactory = beanFactory;
		this.parser = new KeyExpressionParser(beanFactory);
		this.prefix = prefix;
		this.options = options;
		this.onFailure = onFailure;
	}

	/**
	 * Returns what to do around a call.
	 * @param method the method that is called
	 * @param targetClass the class of the object behind the proxy
	 * @return the operation, or {@code null} if nothing is annotated
	 * @throws InvalidDistributedLockableException if the annotation cannot work
	 */
	@Nullable LockedOperation get(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		LockedOperation operation = this.operations.get(key);
		if (operation == null) {
			LockableMethod lockable = LockableMethod.find(method, targetClass);
			if (lockable == null) {
				return null;
			}
			operation = create(method, lockable);
			this.operations.put(key, operation);
		}
		return operation;
	}

	private LockedOperation create(Method called, LockableMethod lockable) {
		DistributedLockable annotation = lockable.annotation();
		ReturnKind.of(lockable.method());
		OnFailure outcome = onFailure(lockable);
		if (outcome == OnFailure.SKIP && called.getReturnType().isPrimitive() && called.getReturnType() != void.class) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"a skipped call returns null, which %s cannot be".formatted(called.getReturnType()),
					"Return the wrapper type or an Optional, or set onFailure = OnFailure.THROW.");
		}
		String text = resolve(annotation.key(), lockable);
		String ownPrefix = annotation.prefix().isEmpty() ? this.prefix : resolve(annotation.prefix(), lockable);
		GuardSource source = new GuardSource(lockable.name(), ownPrefix, this.parser.parse(text, lockable),
				options(lockable));
		return new LockedOperation(called, List.of(source), outcome, null, true);
	}

	private String resolve(String text, LockableMethod lockable) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			return (resolved != null) ? resolved : text;
		}
		catch (IllegalArgumentException ex) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"the placeholder in '%s' cannot be resolved".formatted(text),
					"Define the property, or give a default: ${name:default}.", ex);
		}
	}

	private OnFailure onFailure(LockableMethod lockable) {
		if (lockable.annotation().onFailure() != OnFailure.DEFAULT) {
			return lockable.annotation().onFailure();
		}
		MergedAnnotations annotations = MergedAnnotations.from(lockable.method(), SearchStrategy.TYPE_HIERARCHY);
		boolean scheduled = annotations.isPresent(Scheduled.class) || annotations.isPresent(Schedules.class);
		return scheduled ? OnFailure.SKIP : this.onFailure;
	}

	private LockOptions options(LockableMethod lockable) {
		DistributedLockable annotation = lockable.annotation();
		LockOptions result = this.options;
		if (annotation.waitTime() != -1) {
			result = with(lockable, "waitTime", annotation.waitTime(), result::withWaitTime);
		}
		if (annotation.expire() != -1) {
			// maxHold limits renewal, of which there is none, and may be shorter
			LockOptions unrenewed = result.withRenewal(Renewal.OFF).withMaxHold(LockOptions.UNLIMITED);
			result = with(lockable, "expire", annotation.expire(), unrenewed::withLease);
		}
		return result;
	}

	private static LockOptions with(LockableMethod lockable, String attribute, long value, OptionsSetter setter) {
		try {
			return setter.with(Duration.of(value, lockable.annotation().unit().toChronoUnit()));
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"%s = %d %s is out of range (%s)".formatted(attribute, value, lockable.annotation().unit(),
							ex.getMessage()),
					attribute.equals("expire") ? "Write a positive lease, or -1 for the default."
							: "Write zero or a positive wait, or -1 for the default.",
					ex);
		}
	}

	private interface OptionsSetter {

		LockOptions with(Duration value);

	}

}
