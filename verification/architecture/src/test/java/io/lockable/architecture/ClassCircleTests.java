package io.lockable.architecture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes refer to each other in one direction, so that each can be read and tested
 * without the classes that use it. A nested class counts as its top-level class.
 */
class ClassCircleTests {

	private static final List<String> PACKAGES = List.of("io.lockable.engine..", "io.lockable.redis..",
			"io.lockable.postgresql..");

	@Test
	void noClassesReferToEachOtherInACircle() {
		for (String packages : PACKAGES) {
			Map<String, Set<String>> references = references(packages);
			assertThat(references).as("classes of " + packages).isNotEmpty();
			assertThat(circles(references)).as("circles of classes in " + packages).isEmpty();
		}
	}

	@Test
	void circleHoldsAllClassesThatReachEachOther() {
		Map<String, Set<String>> references = Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("a", "d"), "d",
				Set.of("e"), "e", Set.of("d"), "f", Set.of("a", "f"));
		assertThat(circles(references)).containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("d", "e"));
	}

	private static Map<String, Set<String>> references(String packages) {
		DescribedPredicate<JavaClass> inside = JavaClass.Predicates.resideInAPackage(packages);
		Map<String, Set<String>> references = new TreeMap<>();
		for (JavaClass type : PublishedClasses.ALL.that(inside)) {
			Set<String> targets = references.computeIfAbsent(topLevel(type), (name) -> new TreeSet<>());
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				JavaClass target = dependency.getTargetClass().getBaseComponentType();
				if (inside.test(target)) {
					targets.add(topLevel(target));
				}
			}
		}
		return references;
	}

	private static String topLevel(JavaClass type) {
		return type.getName().replaceAll("\\$.*", "");
	}

	/**
	 * Returns the strongly connected components that have more than one class.
	 */
	private static Set<Set<String>> circles(Map<String, Set<String>> references) {
		Map<String, Set<String>> reachable = new TreeMap<>();
		references.keySet().forEach((type) -> reachable.put(type, reachable(type, references)));
		Set<Set<String>> circles = new LinkedHashSet<>();
		reachable.forEach((type, targets) -> {
			Set<String> circle = new TreeSet<>(Set.of(type));
			targets.stream().filter((target) -> reachable.get(target).contains(type)).forEach(circle::add);
			if (circle.size() > 1) {
				circles.add(circle);
			}
		});
		return circles;
	}

	private static Set<String> reachable(String start, Map<String, Set<String>> references) {
		Set<String> reachable = new TreeSet<>();
		Deque<String> left = new ArrayDeque<>(references.get(start));
		while (!left.isEmpty()) {
			String next = left.pop();
			if (reachable.add(next)) {
				left.addAll(references.getOrDefault(next, Set.of()));
			}
		}
		return reachable;
	}

}
