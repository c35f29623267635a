package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.lockable.DistributedLockable;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method to run under a lock, and the annotation that says so, wherever it stands: on
 * the method, on one that it overrides or implements, on the class, or on an interface;
 * itself or as a meta-annotation.
 *
 * @param method the method of the target class that runs
 * @param declaration the method that the author of the annotation looked at: its
 * parameter names count first
 * @param annotation the annotation
 */
record LockableMethod(Method method, Method declaration, DistributedLockable annotation) {

	/**
	 * Finds what is annotated. The nearest annotation wins: one on a method over one on a
	 * type, and a class over its interfaces. An annotated interface means its own methods
	 * only, not what else a class that implements it has.
	 * @param method the method that is called, which may belong to an interface or be a
	 * bridge
	 * @param targetClass the class of the object behind the proxy
	 * @return what to lock, or {@code null} if nothing is annotated
	 */
	static @Nullable LockableMethod find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		MergedAnnotation<DistributedLockable> annotation = onMethod(specific);
		if (annotation.isPresent()) {
			return new LockableMethod(specific, source(annotation, specific), annotation.synthesize());
		}
		Set<Class<?>> interfaces = allInterfaces(userClass);
		List<Method> implemented = implementedMethods(specific, userClass, interfaces);
		for (Method candidate : implemented) {
			annotation = onMethod(candidate);
			if (annotation.isPresent()) {
				return new LockableMethod(specific, source(annotation, candidate), annotation.synthesize());
			}
		}
		if (!Modifier.isPublic(specific.getModifiers()) || Modifier.isStatic(specific.getModifiers())
				|| ReflectionUtils.isObjectMethod(specific)) {
			return null;
		}
		annotation = MergedAnnotations.from(userClass, SearchStrategy.SUPERCLASS).get(DistributedLockable.class);
		if (annotation.isPresent()) {
			return new LockableMethod(specific, specific, annotation.synthesize());
		}
		for (Class<?> type : interfaces) {
			annotation = MergedAnnotations.from(type).get(DistributedLockable.class);
			if (annotation.isPresent()) {
				for (Method candidate : implemented) {
					if (candidate.getDeclaringClass().isAssignableFrom(type)) {
						return new LockableMethod(specific, candidate, annotation.synthesize());
					}
				}
			}
		}
		return null;
	}

	/**
	 * Returns what to call the locks of this method by default.
	 * @return type and method
	 */
	String name() {
		return ClassUtils.getShortName(this.method.getDeclaringClass()) + "." + this.method.getName();
	}

	private static MergedAnnotation<DistributedLockable> onMethod(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(DistributedLockable.class);
	}

	private static Method source(MergedAnnotation<DistributedLockable> annotation, Method fallback) {
		return (annotation.getRoot().getSource() instanceof Method method) ? method : fallback;
	}

	// A class may inherit the method from a superclass that knows nothing of the
	// interface, so the hierarchy of the method alone does not show all of them
	private static List<Method> implementedMethods(Method specific, Class<?> userClass, Set<Class<?>> interfaces) {
		List<Method> methods = new ArrayList<>();
		for (Class<?> type : interfaces) {
			for (Method candidate : type.getDeclaredMethods()) {
				if (candidate.getName().equals(specific.getName())
						&& candidate.getParameterCount() == specific.getParameterCount()
						&& !Modifier.isStatic(candidate.getModifiers())
						&& AopUtils.getMostSpecificMethod(candidate, userClass).equals(specific)) {
					methods.add(candidate);
				}
			}
		}
		return methods;
	}

	private static Set<Class<?>> allInterfaces(Class<?> userClass) {
		Set<Class<?>> interfaces = new LinkedHashSet<>();
		if (userClass.isInterface()) {
			interfaces.add(userClass);
		}
		for (Class<?> type = userClass; type != null; type = type.getSuperclass()) {
			addInterfaces(type, interfaces);
		}
		return interfaces;
	}

	private static void addInterfaces(Class<?> type, Set<Class<?>> interfaces) {
		for (Class<?> candidate : type.getInterfaces()) {
			if (interfaces.add(candidate)) {
				addInterfaces(candidate, interfaces);
			}
		}
	}

}
