package io.lockable.spring.metadata;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

import io.lockable.DistributedLockable;
import io.lockable.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * Tells the few classes with an annotation from the many without. Every bean of the
 * application is asked for, while it starts: each class of a hierarchy is looked at once,
 * and so is each type of annotation, before Spring is asked what the annotations of a
 * method mean.
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

	/**
	 * By the type of an annotation.
	 */
	private static final ClassValue<Boolean> MAY_LOCK = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> annotationType) {
			return annotationType == DistributedLockable.class || isContainer(annotationType)
					|| MergedAnnotations.from(annotationType).isPresent(DistributedLockable.class);
		}

	};

	private AnnotatedTypes() {
	}

	/**
	 * Returns whether the annotation stands anywhere in the hierarchy of a class.
	 * @param type the class
	 * @return {@code false} if none of its methods can be annotated
	 */
	public static boolean isAnnotated(Class<?> type) {
		return ANNOTATED.get(type);
	}

	private static boolean inherits(Class<?> type) {
		for (Class<?> candidate : type.getInterfaces()) {
			if (isAnnotated(candidate)) {
				return true;
			}
		}
		return type.getSuperclass() != null && isAnnotated(type.getSuperclass());
	}

	private static boolean declares(Class<?> type) {
		try {
			if (isLocked(type)) {
				return true;
			}
			for (Method method : type.getDeclaredMethods()) {
				if (isLocked(method)) {
					return true;
				}
			}
		}
		catch (LinkageError ex) {
			logger.debug("Failed to look for @DistributedLockable on {}", type.getName(), ex);
		}
		return false;
	}

	private static boolean isLocked(AnnotatedElement element) {
		return mayBeLocked(element) && MergedAnnotations.from(element).isPresent(DistributedLockable.class);
	}

	private static boolean mayBeLocked(AnnotatedElement element) {
		try {
			for (Annotation annotation : element.getDeclaredAnnotations()) {
				if (MAY_LOCK.get(annotation.annotationType())) {
					return true;
				}
			}
			return false;
		}
		catch (LinkageError | RuntimeException ex) {
			// Spring knows what to make of annotations that cannot be read
			return true;
		}
	}

	// Annotations that are repeated stand in one whose value they are
	private static boolean isContainer(Class<?> annotationType) {
		for (Method attribute : annotationType.getDeclaredMethods()) {
			Class<?> element = attribute.getReturnType().getComponentType();
			if (attribute.getName().equals("value") && element != null && element.isAnnotation()) {
				return true;
			}
		}
		return false;
	}

}
