package io.lockable.autoconfigure.aop;

import java.lang.reflect.Field;

import org.aspectj.lang.Aspects;

/**
 * Tells the classes into which AspectJ has woven the aspect. Their methods are locked
 * whoever calls them.
 */
final class Weaving {

	private static final String JOIN_POINT_FIELD = "ajc$tjp_";

	private Weaving() {
	}

	static boolean isWoven(Class<?> type) {
		for (Class<?> current = type; current != null && current != Object.class; current = current.getSuperclass()) {
			for (Field field : current.getDeclaredFields()) {
				if (field.getName().startsWith(JOIN_POINT_FIELD)) {
					return isAspectWoven();
				}
			}
		}
		return false;
	}

	/**
	 * Returns whether AspectJ knows the aspect. To be asked only where AspectJ is.
	 * @return whether it has an instance of its own
	 */
	static boolean isAspectWoven() {
		return Aspects.hasAspect(DistributedLockAspect.class);
	}

}
