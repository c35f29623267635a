package io.lockable.architecture;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final String CORE = "lock-core";

	private static final String REDIS = "lock-redis";

	private static final String POSTGRESQL = "lock-postgresql";

	private static final String SPRING = "lock-spring";

	private static final String AUTOCONFIGURE = "lock-spring-boot-autoconfigure";

	private static final String BOOT_3 = "boot-3";

	private static final String TEST = "lock-test";

	@Test
	void allModulesAreSeen() {
		Set<String> modules = new TreeSet<>();
		PublishedClasses.ALL.forEach((type) -> modules.add(PublishedClasses.moduleOf(type)));
		assertThat(modules).containsExactlyInAnyOrder(CORE, REDIS, POSTGRESQL, SPRING, AUTOCONFIGURE, BOOT_3, TEST);
	}

	@Test
	void packagesHaveNoCycles() {
		SlicesRuleDefinition.slices()
			.assignedFrom(new ByPackage())
			.should()
			.beFreeOfCycles()
			.check(PublishedClasses.ALL);
	}

	@Test
	void packageIsNeverSplitOverModules() {
		Map<String, Set<String>> modules = new TreeMap<>();
		for (JavaClass type : PublishedClasses.ALL) {
			modules.computeIfAbsent(type.getPackageName(), (name) -> new TreeSet<>())
				.add(PublishedClasses.moduleOf(type));
		}
		assertThat(modules).isNotEmpty().allSatisfy((name, owners) -> assertThat(owners).as(name).hasSize(1));
	}

	@Test
	void coreKnowsNeitherSpringNorRedis() {
		classes().that(PublishedClasses.of(CORE))
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "jdk.jfr..", "io.lockable..", "org.slf4j..", "org.jspecify..")
			.check(PublishedClasses.ALL);
	}

	@Test
	void postgresqlNeedsNeitherSpringNorRedis() {
		classes().that(PublishedClasses.of(POSTGRESQL))
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "javax.sql..", "io.lockable", "io.lockable.engine.runtime",
					"io.lockable.store", "io.lockable.text", "io.lockable.postgresql", "org.postgresql..",
					"org.slf4j..", "org.jspecify..")
			.check(PublishedClasses.ALL);
	}

	@Test
	void coreOfTheTestSupportNeedsNoSpring() {
		classes().that()
			.resideInAPackage("io.lockable.test")
			.should()
			.onlyDependOnClassesThat()
			.resideOutsideOfPackages("org.springframework..", "io.lockable.test.autoconfigure..")
			.check(PublishedClasses.ALL);
	}

	@Test
	void arrowsPointFromAutoconfigureOverSpringAndRedisToCore() {
		moduleDependsOnNoneOf(CORE, REDIS, POSTGRESQL, SPRING, AUTOCONFIGURE, BOOT_3, TEST);
		moduleDependsOnNoneOf(REDIS, POSTGRESQL, SPRING, AUTOCONFIGURE, BOOT_3, TEST);
		moduleDependsOnNoneOf(SPRING, REDIS, POSTGRESQL, AUTOCONFIGURE, BOOT_3, TEST);
		moduleDependsOnNoneOf(AUTOCONFIGURE, BOOT_3, TEST);
		moduleDependsOnNoneOf(BOOT_3, TEST);
	}

	private static void moduleDependsOnNoneOf(String module, String... others) {
		for (String other : others) {
			noClasses().that(PublishedClasses.of(module))
				.should()
				.dependOnClassesThat(PublishedClasses.of(other))
				.check(PublishedClasses.ALL);
		}
	}

	@Test
	void springNeedsNoSpringBoot() {
		noClasses().that(PublishedClasses.of(SPRING))
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.boot..")
			.check(PublishedClasses.ALL);
	}

	@Test
	void loggingGoesThroughSlf4j() {
		GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(PublishedClasses.ALL);
		GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(PublishedClasses.ALL);
	}

	@Test
	void staticStateIsFinal() {
		fields().that().areStatic().should().beFinal().check(PublishedClasses.ALL);
	}

	@Test
	void namesSayWhatATypeIs() {
		noClasses().should()
			.haveNameMatching(".*(Manager|Utils?|Helper|Impl)")
			.because("such a name says nothing about the type")
			.check(PublishedClasses.ALL);
	}

	private static final class ByPackage implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			return SliceIdentifier.of(type.getPackageName());
		}

		@Override
		public String getDescription() {
			return "packages";
		}

	}

}
