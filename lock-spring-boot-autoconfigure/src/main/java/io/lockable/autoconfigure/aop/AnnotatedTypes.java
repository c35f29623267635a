package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;

import io.lockable.DistributedLockable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * Tells the few classes with an annotation from the many without, each class of a
 * hierarchy being looked at once: every bean of the application is asked for.
 */
final class AnnotatedTypes {

	private static final Logger logger = LoggerFactory.getLogger(AnnotatedTypes.class);

	private static final ClassValue<Boolean> DECLARES = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return declares(type);
		}

	};

	private AnnotatedTypes() {
	}

	/**
	 * Returns whether the annotation stands anywhere in the hierarchy of a class.
	 * @param type the class
	 * @return {@code false} if none of its methods can be annotated
	 */
	static boolean isAnnotated(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLockable.class)) {
			return false;
		}
		if (DECLARES.get(type)) {
			return true;
		}
		for (Class<?> candidate : type.getInterfaces()) {
			if (isAnnotated(candidate)) {
				return true;
			}
		}
		return type.getSuperclass() != null && isAnnotated(type.getSuperclass());
	}

	private static boolean declares(Class<?> type) {
		try {
			if (MergedAnnotations.from(type).isPresent(DistributedLockable.class)) {
				return true;
			}
			for (Method method : type.getDeclaredMethods()) {
				if (MergedAnnotations.from(method).isPresent(DistributedLockable.class)) {
					return true;
				}
			}
		}
		catch (LinkageError ex) {
			logger.debug("Could not look for @DistributedLockable on {}", type.getName(), ex);
		}
		return false;
	}

}
