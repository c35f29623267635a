package io.lockable.spring.metadata;

import java.lang.reflect.AnnotatedElement;
import java.util.stream.Stream;

import io.lockable.Internal;
import io.lockable.annotation.DistributedLockable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * Separates the few classes with an annotation from the many without one. Startup checks
 * every bean. Each class of a hierarchy is therefore checked once, and Spring's lookup
 * runs only for methods with annotations.
 */
@Internal
public final class AnnotatedTypes {

	private static final Logger logger = LoggerFactory.getLogger(AnnotatedTypes.class);

	private static final ClassValue<Boolean> ANNOTATED = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return AnnotationUtils.isCandidateClass(type, DistributedLockable.class)
					&& (declares(type) || inherits(type));
		}

	};

	private AnnotatedTypes() {
	}

	/**
	 * Returns whether the hierarchy of a class has the annotation.
	 * @param type the class
	 * @return {@code false} if none of its methods can be annotated
	 */
	public static boolean isAnnotated(Class<?> type) {
		return ANNOTATED.get(type);
	}

	private static boolean inherits(Class<?> type) {
		return Stream.concat(Stream.of(type.getInterfaces()), Stream.ofNullable(type.getSuperclass()))
			.anyMatch(AnnotatedTypes::isAnnotated);
	}

	private static boolean declares(Class<?> type) {
		try {
			return isLocked(type) || Stream.of(type.getDeclaredMethods()).anyMatch(AnnotatedTypes::isLocked);
		}
		catch (LinkageError ex) {
			logger.debug("Failed to look for @DistributedLockable on {}", type.getName(), ex);
			return false;
		}
	}

	private static boolean isLocked(AnnotatedElement element) {
		return mayHaveAnnotations(element) && MergedAnnotations.from(element).isPresent(DistributedLockable.class);
	}

	private static boolean mayHaveAnnotations(AnnotatedElement element) {
		try {
			return element.getDeclaredAnnotations().length > 0;
		}
		catch (LinkageError | RuntimeException ex) {
			// Spring handles annotations that cannot be read
			return true;
		}
	}

}
