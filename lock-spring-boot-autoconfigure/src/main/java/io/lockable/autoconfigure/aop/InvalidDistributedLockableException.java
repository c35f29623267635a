package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;

import io.lockable.DistributedLockable;
import io.lockable.DistributedLockables;
import io.lockable.LockException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Thrown when the application starts, or when a bean of a type unknown until then is
 * created, because a {@link io.lockable.DistributedLockable} annotation cannot work as it
 * stands.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class InvalidDistributedLockableException extends LockException {

	private final String description;

	private final String action;

	InvalidDistributedLockableException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	static InvalidDistributedLockableException of(Method method, String problem, String action) {
		return of(method, problem, action, null);
	}

	static InvalidDistributedLockableException of(Method method, String problem, String action,
			@Nullable Throwable cause) {
		return new InvalidDistributedLockableException(
				"@%s cannot work on %s: %s.".formatted(annotationOn(method), describe(method), problem), action, cause);
	}

	// An annotation that is annotated itself, such as @ScheduledLock, is the one to
	// correct
	private static String annotationOn(Method method) {
		MergedAnnotation<DistributedLockable> annotation = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.get(DistributedLockable.class);
		Class<?> written = annotation.isPresent() ? annotation.getRoot().getType() : DistributedLockable.class;
		return ((written == DistributedLockables.class) ? DistributedLockable.class : written).getSimpleName();
	}

	static String describe(Method method) {
		StringBuilder text = new StringBuilder(ClassUtils.getShortName(method.getDeclaringClass())).append('.')
			.append(method.getName())
			.append('(');
		String separator = "";
		for (Class<?> type : method.getParameterTypes()) {
			text.append(separator).append(type.getSimpleName());
			separator = ", ";
		}
		return text.append(')').toString();
	}

	/**
	 * Returns what is wrong, and where.
	 * @return the description
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Returns what to write instead.
	 * @return the action
	 */
	public String getAction() {
		return this.action;
	}

}
