package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.springframework.core.KotlinDetector;

/**
 * Return types with which a method returns before its work is done: the lock would be
 * released too early, so they are refused.
 */
final class AsyncReturnTypes {

	private static final Set<Class<?>> TYPES = Set.of(CompletionStage.class, Future.class, Flow.Publisher.class);

	// By name, because none of them needs to be on the class path
	private static final Set<String> NAMES = Set.of("org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow",
			"kotlinx.coroutines.Deferred", "io.reactivex.rxjava3.core.Single", "io.reactivex.rxjava3.core.Maybe",
			"io.reactivex.rxjava3.core.Completable", "io.reactivex.rxjava3.core.Observable", "io.smallrye.mutiny.Uni",
			"io.smallrye.mutiny.Multi", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private AsyncReturnTypes() {
	}

	static void refuse(Method method) {
		if (KotlinDetector.isSuspendingFunction(method) || isAsync(method.getReturnType())) {
			String type = KotlinDetector.isSuspendingFunction(method) ? "a suspending function"
					: "a " + method.getReturnType().getSimpleName();
			throw InvalidDistributedLockableException.of(method,
					"%s goes on after the call returned, and the lock would be released too early. This is not supported in this version"
						.formatted(type),
					"Remove the annotation, and lock inside the method with DistributedLocks.get(key).acquireAsync(), or return the finished result.");
		}
	}

	private static boolean isAsync(Class<?> type) {
		return TYPES.stream().anyMatch((candidate) -> candidate.isAssignableFrom(type)) || isNamed(type);
	}

	private static boolean isNamed(Class<?> type) {
		if (NAMES.contains(type.getName())) {
			return true;
		}
		for (Class<?> candidate : type.getInterfaces()) {
			if (isNamed(candidate)) {
				return true;
			}
		}
		return type.getSuperclass() != null && isNamed(type.getSuperclass());
	}

}
