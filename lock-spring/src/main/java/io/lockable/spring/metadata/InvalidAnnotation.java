package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;

import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.InvalidDistributedLockableException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Creates the exceptions for annotations that cannot work.
 */
public final class InvalidAnnotation {

	private InvalidAnnotation() {
	}

	/**
	 * Creates the exception for an annotated method.
	 * @param method the method
	 * @param problem the reason why the annotation cannot work
	 * @param action the correction
	 * @return the exception
	 */
	public static InvalidDistributedLockableException of(Method method, String problem, String action) {
		return of(method, problem, action, null);
	}

	static InvalidDistributedLockableException of(Method method, String problem, String action,
			@Nullable Throwable cause) {
		return new InvalidDistributedLockableException(
				"@%s cannot work on %s: %s.".formatted(annotationOn(method), describe(method), problem), action, cause);
	}

	/**
	 * Creates the exception for a text of an annotation.
	 * @param method the annotated method
	 * @param subject the text, and its role
	 * @param ex the reason why the text cannot work
	 * @param otherwise the correction, unless the exception names one
	 * @return the exception
	 */
	static InvalidDistributedLockableException of(Method method, String subject, InvalidExpressionException ex,
			String otherwise) {
		String action = ex.getAction();
		return of(method, subject + " " + ex.getMessage(), (action != null) ? action : otherwise, ex.getCause());
	}

	// A composed annotation, such as @ScheduledLock, is the one to correct
	private static String annotationOn(Method method) {
		MergedAnnotation<DistributedLockable> annotation = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.get(DistributedLockable.class);
		Class<?> written = annotation.isPresent() ? annotation.getRoot().getType() : DistributedLockable.class;
		return ((written == DistributedLockable.List.class) ? DistributedLockable.class : written).getSimpleName();
	}

	/**
	 * Describes a method for a message.
	 * @param method the method
	 * @return its class, name and parameter types
	 */
	public static String describe(Method method) {
		return ClassUtils.getShortName(method.getDeclaringClass()) + '.' + method.getName()
				+ parameters(List.of(method.getParameterTypes()));
	}

	static String parameters(List<Class<?>> types) {
		return types.stream().map(Class::getSimpleName).collect(Collectors.joining(", ", "(", ")"));
	}

}
