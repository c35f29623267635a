package io.lockable.architecture;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packages that are not part of the API, and the API does not mention their types.
 * The core stays small.
 */
class InternalTypeTests {

	@Test
	void internalTypesAreSeen() {
		assertThat(PublishedClasses.ALL.stream().filter(InternalTypeTests::isInternal)).isNotEmpty();
	}

	@Test
	void apiMentionsNoInternalType() {
		Set<String> mentions = new TreeSet<>();
		for (JavaClass type : PublishedClasses.ALL) {
			if (isApi(type)) {
				supertypes(type).filter(InternalTypeTests::isInternal)
					.forEach((other) -> mentions.add(type.getName() + " extends " + other.getName()));
				for (JavaMember member : type.getMembers()) {
					if (isVisible(member.getModifiers())) {
						types(member).filter(InternalTypeTests::isInternal)
							.forEach((other) -> mentions.add(member.getFullName() + " has " + other.getName()));
					}
				}
			}
		}
		assertThat(mentions).isEmpty();
	}

	@Test
	void coreHasAtMostSeventyPublicTypes() {
		assertThat(PublishedClasses.ALL.stream()
			.filter((type) -> PublishedClasses.moduleOf(type).equals("lock-core"))
			.filter((type) -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC)))
			.hasSizeBetween(1, 70);
	}

	private static Stream<JavaClass> supertypes(JavaClass type) {
		return Stream.concat(type.getAllRawSuperclasses().stream(), type.getAllRawInterfaces().stream());
	}

	private static Stream<JavaClass> types(JavaMember member) {
		Stream<JavaType> types = (member instanceof JavaCodeUnit unit)
				? Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream())
				: member.getAllInvolvedRawTypes().stream().map(JavaType.class::cast);
		return types.flatMap((type) -> type.getAllInvolvedRawTypes().stream());
	}

	private static boolean isInternal(JavaClass type) {
		return PublishedClasses.isInternal(type);
	}

	private static boolean isApi(JavaClass type) {
		return isVisible(type.getModifiers()) && !isInternal(type)
				&& type.getEnclosingClass().map(InternalTypeTests::isApi).orElse(true);
	}

	private static boolean isVisible(Set<JavaModifier> modifiers) {
		return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
	}

}
