package io.lockable.matrix;

import java.io.File;
import java.net.URL;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the class path is the one that the build configures. On another class path,
 * all other tests would prove nothing.
 */
class ClassPathIntegrationTests {

	@Test
	void thereIsWhatTheBuildSaysAndNothingElse() {
		assertThat(Part.values()).filteredOn(Part::isThere).containsExactlyInAnyOrderElementsOf(Part.expected());
	}

	@Test
	void versionsAreThoseOfTheBuild() {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("lockable.matrix.boot"));
		assertThat(Runtime.version().feature()).hasToString(System.getProperty("lockable.matrix.jdk"));
	}

	@Test
	void nothingOfAnotherSpringBootIsThere() {
		String version = System.getProperty("lockable.matrix.boot");
		String line = version.substring(0, version.lastIndexOf('.') + 1);
		List<String> jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.map((path) -> path.substring(path.lastIndexOf(File.separatorChar) + 1))
			.filter((jar) -> jar.matches("spring-boot-.*[0-9]\\.jar"))
			.toList();
		assertThat(jars).isNotEmpty().allMatch((jar) -> jar.contains("-" + line));
	}

	@Test
	void whatIsTestedAreJars() {
		assertThat(location(DistributedLocks.class).getPath()).endsWith(".jar");
		assertThat(location(DistributedLockAutoConfiguration.class).getPath()).endsWith(".jar");
	}

	private static URL location(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation();
	}

}
