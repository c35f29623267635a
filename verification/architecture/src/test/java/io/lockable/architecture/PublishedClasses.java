package io.lockable.architecture;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/**
 * The classes of all published modules, each with the folder of its module.
 */
final class PublishedClasses {

	static final JavaClasses ALL = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("io.lockable");

	private static final Pattern MODULE = Pattern.compile("/([^/]+)/target/");

	// pom.xml leaves them out of the Javadoc.
	private static final Pattern INTERNAL = Pattern
		.compile("io\\.lockable\\.(text|engine\\.(lock|machine|shell|watch)|redis\\..*|spring\\.(call|metadata))");

	private PublishedClasses() {
	}

	/**
	 * Returns whether a type is public for other packages only.
	 */
	static boolean isInternal(JavaClass type) {
		return INTERNAL.matcher(type.getPackageName()).matches();
	}

	static String moduleOf(JavaClass type) {
		String location = type.getSource().orElseThrow().getUri().toString();
		Matcher matcher = MODULE.matcher(location);
		if (!matcher.find()) {
			throw new IllegalStateException("No module in the location of " + type.getName() + ": " + location);
		}
		return matcher.group(1);
	}

	static DescribedPredicate<JavaClass> of(String module) {
		return DescribedPredicate.describe("are in " + module, (type) -> type.getPackageName().startsWith("io.lockable")
				&& type.getSource().isPresent() && moduleOf(type).equals(module));
	}

}
