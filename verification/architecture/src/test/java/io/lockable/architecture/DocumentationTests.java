package io.lockable.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DocumentationTests {

	@Test
	void publicTypesAreShown() throws IOException {
		String pages = pages();
		List<JavaClass> types = PublishedClasses.ALL.stream()
			.filter(JavaClass::isTopLevelClass)
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((type) -> !PublishedClasses.isInternal(type))
			.toList();
		assertThat(types).extracting(JavaClass::getSimpleName).contains("DistributedLocks", "LockStore");
		assertThat(types).filteredOn((type) -> !isShown(type.getSimpleName(), pages))
			.extracting(JavaClass::getName)
			.as("public types that neither README.md nor docs/*.md shows: make them package-private, or add a line to docs/api.md")
			.isEmpty();
	}

	@Test
	void aNameWithinALongerNameIsNotShown() {
		assertThat(isShown("Lease", "`LockLease`, `Leases`")).isFalse();
		assertThat(isShown("Lease", "a `Lease`.")).isTrue();
	}

	private static boolean isShown(String name, String pages) {
		return Pattern.compile("\\b" + name + "\\b").matcher(pages).find();
	}

	private static String pages() throws IOException {
		StringBuilder pages = new StringBuilder();
		for (Path page : Documents.all()) {
			if (!page.endsWith("CHANGELOG.md")) {
				pages.append(Files.readString(page));
			}
		}
		return pages.toString();
	}

}
