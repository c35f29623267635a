package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.lockable.annotation.DistributedLockable;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * An annotated method, and its annotations. They may be on the method, on one that it
 * overrides or implements, on the class, or on an interface, directly or as
 * meta-annotations.
 *
 * @param method the method of the target class that runs, or the declaration if that
 * class is a JDK proxy
 * @param declaration the annotated declaration, whose parameter names take precedence
 * @param annotations the annotations of the nearest place that has any
 */
public record LockableMethod(Method method, Method declaration, List<DistributedLockable> annotations) {

	/**
	 * Finds the annotations of a method. The nearest annotation wins: a method before a
	 * type, and a class before its interfaces. An annotated interface applies only to its
	 * own methods, and not to other methods of implementing classes.
	 * @param method the called method, which may belong to an interface or be a bridge
	 * @param targetClass the class of the object behind the proxy
	 * @return the annotated method, or {@code null} if nothing is annotated
	 */
	public static @Nullable LockableMethod find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		LockableMethod found = nearest(MergedAnnotations.from(specific, SearchStrategy.TYPE_HIERARCHY), specific,
				specific);
		if (found != null) {
			return found;
		}
		Set<Class<?>> interfaces = new LinkedHashSet<>();
		addInterfaces(userClass, interfaces);
		List<Method> implemented = implementedMethods(specific, userClass, interfaces);
		for (Method candidate : implemented) {
			found = nearest(MergedAnnotations.from(candidate, SearchStrategy.TYPE_HIERARCHY), specific, candidate);
			if (found != null) {
				return found;
			}
		}
		if (!Modifier.isPublic(specific.getModifiers()) || Modifier.isStatic(specific.getModifiers())
				|| ReflectionUtils.isObjectMethod(specific)) {
			return null;
		}
		found = nearest(MergedAnnotations.from(userClass, SearchStrategy.SUPERCLASS), specific, specific);
		if (found != null) {
			return found;
		}
		return interfaces.stream()
			.flatMap((type) -> implemented.stream()
				.filter((candidate) -> candidate.getDeclaringClass().isAssignableFrom(type))
				.flatMap((candidate) -> Stream.ofNullable(nearest(MergedAnnotations.from(type), specific, candidate))))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns the annotations of the first place in a hierarchy that has any.
	 * @param hierarchy the hierarchy
	 * @param method the method that runs
	 * @param declaration the declaration, unless the place is a method itself
	 * @return the annotated method, or {@code null} if no place has an annotation
	 */
	private static @Nullable LockableMethod nearest(MergedAnnotations hierarchy, Method method, Method declaration) {
		List<MergedAnnotation<DistributedLockable>> all = hierarchy.stream(DistributedLockable.class).toList();
		if (all.isEmpty()) {
			return null;
		}
		MergedAnnotation<DistributedLockable> first = all.get(0);
		List<DistributedLockable> annotations = all.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == first.getAggregateIndex())
			.map(MergedAnnotation::synthesize)
			.toList();
		Method declared = (first.getRoot().getSource() instanceof Method place) ? place : declaration;
		// The class of a proxy has another name in each instance
		boolean proxied = Proxy.isProxyClass(method.getDeclaringClass());
		return new LockableMethod(proxied ? declared : method, declared, annotations);
	}

	/**
	 * Returns the default name of the method's locks.
	 * @return type and method
	 */
	String name() {
		return ClassUtils.getShortName(this.method.getDeclaringClass()) + "." + this.method.getName();
	}

	// A class may inherit the method from a superclass that does not implement the
	// interface. The hierarchy of the method alone then misses the interface
	private static List<Method> implementedMethods(Method specific, Class<?> userClass, Set<Class<?>> interfaces) {
		return interfaces.stream()
			.flatMap((type) -> Stream.of(type.getDeclaredMethods()))
			.filter((candidate) -> candidate.getName().equals(specific.getName())
					&& candidate.getParameterCount() == specific.getParameterCount()
					&& !Modifier.isStatic(candidate.getModifiers())
					&& AopUtils.getMostSpecificMethod(candidate, userClass).equals(specific))
			.toList();
	}

	// Interfaces of a class come before those of its superclass
	private static void addInterfaces(@Nullable Class<?> type, Set<Class<?>> interfaces) {
		if (type != null && (!type.isInterface() || interfaces.add(type))) {
			for (Class<?> each : type.getInterfaces()) {
				addInterfaces(each, interfaces);
			}
			addInterfaces(type.getSuperclass(), interfaces);
		}
	}

}
