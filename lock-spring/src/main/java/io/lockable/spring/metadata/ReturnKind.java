package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.lockable.Internal;
import io.lockable.spring.InvalidDistributedLockableException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * When the work of a method is done, by what it returns.
 */
@Internal
public enum ReturnKind {

	/**
	 * When the method returns.
	 */
	VALUE,

	/**
	 * When the returned {@link CompletionStage} completes.
	 */
	STAGE,

	/**
	 * When the returned publisher completes, once per subscription. Suspending functions
	 * too: to an aspect they are a {@code Mono}.
	 */
	PUBLISHER;

	// By name, because none of them needs to be on the class path
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
	 * Returns when the work of a method is done.
	 * @param method the method, as it is implemented
	 * @return the kind
	 * @throws InvalidDistributedLockableException if nothing tells when it is done
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
	 * Returns whether a function of Kotlin promises a result that is not null. No Java
	 * method does, and neither does one that returns nothing.
	 * @param method a method of this kind, as it is implemented
	 * @return whether callers count on it
	 */
	boolean isNeverNull(Method method) {
		boolean suspending = KotlinDetector.isSuspendingFunction(method);
		if (!(suspending || this == VALUE) || method.getReturnType() == void.class
				|| !KotlinDetector.isKotlinReflectPresent()
				|| !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
			return false;
		}
		int last = method.getParameterCount() - 1;
		Class<?> result = suspending ? ResolvableType.forMethodParameter(method, last).getGeneric().resolve()
				: method.getReturnType();
		return !(result != null && UNIT.equals(result.getName())) && !new MethodParameter(method, -1).isOptional();
	}

	private static boolean isOrHasWebType(ResolvableType type) {
		return isWebType(type.resolve()) || Stream.of(type.getGenerics()).anyMatch(ReturnKind::isOrHasWebType);
	}

	private static boolean isWebType(@Nullable Class<?> type) {
		return type != null && (WEB_TYPES.contains(type.getName()) || isWebType(type.getSuperclass())
				|| Stream.of(type.getInterfaces()).anyMatch(ReturnKind::isWebType));
	}

}
