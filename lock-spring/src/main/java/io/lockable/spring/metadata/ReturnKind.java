package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.lockable.spring.InvalidDistributedLockableException;
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
	private static final Set<String> WEB_TYPES = Set.of("org.springframework.web.context.request.async.DeferredResult",
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
	 * @throws InvalidDistributedLockableException if the end of the work cannot be
	 * observed
	 */
	public static ReturnKind of(Method method) {
		Class<?> type = method.getReturnType();
		if (KotlinDetector.isSuspendingFunction(method)) {
			if (!REACTOR || !COROUTINES) {
				throw InvalidAnnotation.of(method,
						"Spring cannot intercept a suspending function without kotlinx-coroutines-reactor",
						"Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
			}
			return PUBLISHER;
		}
		if (CompletionStage.class.isAssignableFrom(type)) {
			if (!type.isAssignableFrom(CompletableFuture.class)) {
				throw InvalidAnnotation.of(method,
						("the lock is released when the returned stage completes, so the caller gets a "
								+ "CompletableFuture, not a %s")
							.formatted(type.getSimpleName()),
						"Return a CompletableFuture or a CompletionStage.");
			}
			return STAGE;
		}
		if (Future.class.isAssignableFrom(type)) {
			throw InvalidAnnotation.of(method, NO_CLUE.formatted(type.getSimpleName()),
					"Return a CompletableFuture instead, or lock inside of the task with DistributedLocks.");
		}
		if (REACTOR && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
			return PUBLISHER;
		}
		if (Callable.class.isAssignableFrom(type) || isOrHasWebType(ResolvableType.forMethodReturnType(method))) {
			throw InvalidAnnotation.of(method, NO_CLUE.formatted(type.getSimpleName()),
					"Annotate the method of another bean that does the work, or return a CompletableFuture.");
		}
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

	private static boolean isOrHasWebType(ResolvableType type) {
		return isWebType(type.resolve()) || Stream.of(type.getGenerics()).anyMatch(ReturnKind::isOrHasWebType);
	}

	private static boolean isWebType(@Nullable Class<?> type) {
		return type != null && (WEB_TYPES.contains(type.getName()) || isWebType(type.getSuperclass())
				|| Stream.of(type.getInterfaces()).anyMatch(ReturnKind::isWebType));
	}

}
