package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.annotation.OnFailure;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LockSettings;
import io.lockable.store.LockStore;
import io.lockable.store.RecallingLockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The operations of all annotated methods, each created once. Thread-safe; grows only
 * with the number of annotated methods.
 */
public final class LockOperations {

	private final ConcurrentMap<MethodClassKey, LockOperation> operations = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	private final TemplateParser templates;

	private final FallbackResolver fallbacks;

	private final LockSettings settings;

	/**
	 * Creates the operations.
	 * @param beanFactory resolves the beans that annotations name
	 * @param settings the values of attributes that annotations do not set
	 */
	public LockOperations(ConfigurableListableBeanFactory beanFactory, LockSettings settings) {
		this.beanFactory = beanFactory;
		this.templates = new TemplateParser(beanFactory);
		this.fallbacks = new FallbackResolver(beanFactory);
		this.settings = settings;
	}

	/**
	 * Returns the operation of a method.
	 * @param method the called method
	 * @param targetClass the class of the object behind the proxy
	 * @return the operation, or {@code null} if nothing is annotated
	 * @throws InvalidDistributedLockableException if the annotation cannot work
	 */
	public @Nullable LockOperation get(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		LockOperation operation = this.operations.get(key);
		if (operation == null) {
			LockableMethod lockable = LockableMethod.find(method, targetClass);
			if (lockable == null) {
				return null;
			}
			operation = create(method, lockable, targetClass);
			this.operations.put(key, operation);
		}
		return operation;
	}

	LockOperation create(Method called, LockableMethod lockable, Class<?> targetClass) {
		ReturnKind kind = ReturnKind.of(lockable.method());
		String fallback = single(lockable, "fallback", DistributedLockable::fallback, "");
		OnFailure onFailure = single(lockable, "onFailure", DistributedLockable::onFailure, OnFailure.DEFAULT);
		InTransaction inTransaction = single(lockable, "inTransaction", DistributedLockable::inTransaction,
				InTransaction.DEFAULT);
		single(lockable, "locks", DistributedLockable::locks, "");
		String handler = single(lockable, "failureHandler", DistributedLockable::failureHandler, "");
		String said = (onFailure != OnFailure.DEFAULT) ? onFailure.name() : "";
		rejectBoth("fallback", fallback, "onFailure", said, lockable);
		rejectBoth("failureHandler", handler, "onFailure", said, lockable);
		rejectBoth("fallback", fallback, "failureHandler", handler, lockable);
		OnFailure outcome = outcome(onFailure, lockable);
		if (fallback.isEmpty() && handler.isEmpty() && outcome == OnFailure.SKIP) {
			checkSkip(kind, called, lockable.method());
		}
		List<LockMetadata> metadata = lockable.annotations()
			.stream()
			.map((annotation) -> new LockMetadata(this.beanFactory, this.templates, this.settings, annotation,
					lockable))
			.toList();
		if (metadata.size() > 1 && metadata.stream().anyMatch(LockMetadata::retains)) {
			throw InvalidAnnotation.of(lockable.method(),
					"a call that acquires several locks retains none of them, but one of its annotations has 'retain'",
					"Remove 'retain', or set it to \"0s\".");
		}
		return new LockOperation(called, lockable.method(), kind, metadata, outcome,
				fallback(fallback, handler, called, lockable, targetClass), ((inTransaction != InTransaction.DEFAULT)
						? inTransaction : this.settings.inTransaction()) == InTransaction.KEEP);
	}

	private static void checkSkip(ReturnKind kind, Method called, Method implemented) {
		if (called.getReturnType().isPrimitive() && called.getReturnType() != void.class) {
			throw InvalidAnnotation.of(implemented,
					"a skipped call returns null, which %s cannot be".formatted(called.getReturnType()),
					"Return the wrapper type or an Optional, name a fallback, or set onFailure = OnFailure.THROW.");
		}
		if (kind.isNeverNull(implemented)) {
			throw InvalidAnnotation.of(implemented,
					"a skipped call returns null, which the result of this Kotlin function cannot be",
					"Return a nullable type, or set onFailure = OnFailure.THROW.");
		}
	}

	/**
	 * Checks the annotations once all beans exist.
	 * @throws InvalidDistributedLockableException if an annotation cannot work
	 */
	public void validateBeans() {
		this.fallbacks.validateBeans();
		find(LockMetadata::usesDefaultLocks).ifPresent(this::validateLocks);
		find((each) -> each.usesDefaultLocks() && each.retains()).ifPresent(this::validateStore);
	}

	private Optional<Method> find(Predicate<LockMetadata> metadata) {
		return this.operations.values()
			.stream()
			.filter((operation) -> operation.metadata().stream().anyMatch(metadata))
			.map(LockOperation::implementation)
			.findAny();
	}

	private void validateStore(Method method) {
		LockStore store = this.beanFactory.getBeanProvider(LockStore.class).getIfUnique();
		if (store != null && !(store instanceof RecallingLockStore recalling && !recalling.needsConfirmation())) {
			throw InvalidAnnotation.of(method,
					"'retain' requires a store whose instances can ask each other for a lock, and %s is none"
						.formatted(store.getClass().getSimpleName()),
					"Remove 'retain', or keep the locks on one Redis without acknowledgements: remove distributed-lock.redis.redlock.nodes, and set distributed-lock.redis.replicas=none.");
		}
	}

	// A single bean is unambiguous and need not be created now
	private void validateLocks(Method method) {
		String[] names = this.beanFactory.getBeanNamesForType(DistributedLocks.class, true, false);
		if (names.length == 1) {
			return;
		}
		try {
			this.beanFactory.getBeanProvider(DistributedLocks.class).getObject();
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw InvalidAnnotation.of(method,
					"it names none of the %d beans of type DistributedLocks, and none of them is primary"
						.formatted(names.length),
					"Name one of them, as in locks = \"%s\", or mark one as @Primary."
						.formatted((names.length > 0) ? names[0] : "name"));
		}
	}

	// Older javac versions miss that the elements of the handler's array are nullable
	@SuppressWarnings("NullAway")
	private @Nullable LockFailureHandler fallback(String method, String handler, Method called, LockableMethod lockable,
			Class<?> targetClass) {
		if (!handler.isEmpty()) {
			Supplier<LockFailureHandler> bean = LockMetadata.bean(this.beanFactory, lockable.method(), "failureHandler",
					handler, LockFailureHandler.class);
			return (locked, target, arguments, failure) -> bean.get().handle(locked, target, arguments, failure);
		}
		return method.isEmpty() ? null : this.fallbacks.resolve(method, called, lockable, targetClass);
	}

	private static void rejectBoth(String first, String firstValue, String second, String secondValue,
			LockableMethod lockable) {
		if (!firstValue.isEmpty() && !secondValue.isEmpty()) {
			throw InvalidAnnotation.of(lockable.method(),
					"it has both %s = %s and %s = %s".formatted(first, firstValue, second, secondValue),
					"Give one of them.");
		}
	}

	// The locks of a call are acquired all or none, so they share one outcome
	private static <T> T single(LockableMethod lockable, String name, Function<DistributedLockable, T> attribute,
			T defaultValue) {
		List<T> values = lockable.annotations()
			.stream()
			.map(attribute)
			.filter((value) -> !value.equals(defaultValue))
			.distinct()
			.toList();
		if (values.size() > 1) {
			throw InvalidAnnotation.of(lockable.method(),
					"its annotations set %s = %s".formatted(name,
							values.stream().map(Object::toString).collect(Collectors.joining(" and "))),
					"Set '%s' on one of them only: a call acquires all of its locks or none.".formatted(name));
		}
		return values.isEmpty() ? defaultValue : values.get(0);
	}

	private OnFailure outcome(OnFailure onFailure, LockableMethod lockable) {
		if (onFailure != OnFailure.DEFAULT) {
			return onFailure;
		}
		MergedAnnotations annotations = MergedAnnotations.from(lockable.method(), SearchStrategy.TYPE_HIERARCHY);
		return annotations.isPresent(Scheduled.class) ? OnFailure.SKIP : this.settings.onFailure();
	}

}
