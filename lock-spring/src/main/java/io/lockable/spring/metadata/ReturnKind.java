package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.lang.reflect.TypeVariable;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * The completion of a method's work, by its return type.
 */
public enum ReturnKind {

	/**
	 * The work is done when the method returns.
	 */
	VALUE,

	/**
	 * The work is done when the returned {@link CompletionStage} completes.
	 */
	STAGE,

	/**
	 * The work is done when the returned publisher completes, once per subscription. This
	 * includes suspending functions, which an aspect sees as a {@code Mono}.
	 */
	PUBLISHER;

	// By name, because all of these libraries are optional
	private static final Set<String> UNFINISHED = Set.of("java.util.concurrent.CompletionStage",
			"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow",
			"kotlinx.coroutines.Deferred", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String UNIT = "kotlin.Unit";

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ReturnKind.class.getClassLoader());

	private static final boolean COROUTINES = ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt",
			ReturnKind.class.getClassLoader());

	private static final String NO_CLUE = "a %s continues after the call returns and does not signal its "
			+ "completion, so the lock would be released too early";

	/**
	 * Returns the kind of a method.
	 * @param method the implemented method
	 * @return the kind
	 * @throws InvalidExpressionException if the end of the work cannot be observed
	 */
	static ReturnKind of(Method method) {
		Class<?> type = method.getReturnType();
		if (KotlinDetector.isSuspendingFunction(method)) {
			InvalidExpressionException.throwIf(!REACTOR || !COROUTINES,
					"Spring cannot intercept a suspending function without kotlinx-coroutines-reactor",
					"Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
			return PUBLISHER;
		}
		checkGenerics(ResolvableType.forMethodReturnType(method), type);
		if (CompletionStage.class.isAssignableFrom(type)) {
			InvalidExpressionException.throwIf(!type.isAssignableFrom(CompletableFuture.class),
					("the lock is released when the returned stage completes, so the caller gets a "
							+ "CompletableFuture, not a %s")
						.formatted(type.getSimpleName()),
					"Return a CompletableFuture or a CompletionStage.");
			return STAGE;
		}
		InvalidExpressionException.throwIf(Future.class.isAssignableFrom(type), NO_CLUE.formatted(type.getSimpleName()),
				"Return a CompletableFuture instead, or lock inside of the task with DistributedLocks.");
		if (isReactive(type)) {
			return PUBLISHER;
		}
		InvalidExpressionException.throwIf(Callable.class.isAssignableFrom(type) || isUnfinished(type),
				NO_CLUE.formatted(type.getSimpleName()),
				"Annotate the method of another bean that does the work, or return a CompletableFuture.");
		return VALUE;
	}

	/**
	 * Returns whether a Kotlin function declares a non-null result. This is false for
	 * Java methods, and for functions without a result.
	 * @param method an implemented method of this kind
	 * @return whether callers rely on a non-null result
	 */
	boolean isNeverNull(Method method) {
		return (this == VALUE || KotlinDetector.isSuspendingFunction(method)) && result(method) != void.class
				&& KotlinDetector.isKotlinReflectPresent() && KotlinDetector.isKotlinType(method.getDeclaringClass())
				&& !new MethodParameter(method, -1).isOptional();
	}

	/**
	 * Returns the type of the result of a method. For a suspending function, that is the
	 * type in its continuation.
	 * @param method the method
	 * @return the type; {@code void} for Kotlin's {@code Unit}
	 */
	static Class<?> result(Method method) {
		Class<?> type = KotlinDetector.isSuspendingFunction(method)
				? ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
					.getGeneric()
					.resolve(Object.class)
				: method.getReturnType();
		return UNIT.equals(type.getName()) ? void.class : type;
	}

	private static void checkGenerics(ResolvableType type, Class<?> returned) {
		// A type variable may have itself as a bound, and a function has not been called
		if (type.getType() instanceof TypeVariable || type.toClass() == Class.class
				|| type.toClass().getName().startsWith("java.util.function.")) {
			return;
		}
		for (ResolvableType each : type.getGenerics()) {
			Class<?> inner = each.resolve();
			if (inner != null && (isUnfinished(inner) || isReactive(inner))) {
				throw new InvalidExpressionException(
						"the %s in the returned %s continues after the lock would be released"
							.formatted(inner.getSimpleName(), returned.getSimpleName()),
						"Return the %s itself, or annotate the method of another bean that does the work."
							.formatted(inner.getSimpleName()));
			}
			checkGenerics(each, returned);
		}
	}

	private static boolean isReactive(Class<?> type) {
		return REACTOR && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	private static boolean isUnfinished(@Nullable Class<?> type) {
		return type != null && (UNFINISHED.contains(type.getName()) || isUnfinished(type.getSuperclass())
				|| Stream.of(type.getInterfaces()).anyMatch(ReturnKind::isUnfinished));
	}

}
