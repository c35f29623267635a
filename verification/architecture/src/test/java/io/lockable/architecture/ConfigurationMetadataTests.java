package io.lockable.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The annotation processors that write these files are silent when the compiler does not
 * find them.
 */
class ConfigurationMetadataTests {

	private static final Path PAGE = Documents.ROOT.resolve("docs/properties.md");

	@Test
	void everyPropertyHasADescription() throws IOException {
		assertThat(PropertiesPage.properties()).isNotEmpty()
			.allSatisfy((property) -> assertThat(property.getDescription()).as(property.getId()).endsWith("."));
	}

	@Test
	void pageOfPropertiesIsCurrent() throws IOException {
		String current = PropertiesPage.write();
		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(PAGE, current);
		}
		assertThat(PAGE)
			.as("generate it: ./mvnw test -pl verification/architecture -am -Dtest=ConfigurationMetadataTests"
					+ " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true")
			.hasContent(current);
		assertThat(PropertiesPage.properties())
			.allSatisfy((property) -> assertThat(current).contains(property.getId().replace("distributed-lock.", "`")));
	}

	@Test
	void autoConfigurationConditionsAreIndexed() throws IOException {
		List<URL> indexes = Collections.list(ConfigurationMetadataTests.class.getClassLoader()
			.getResources("META-INF/spring-autoconfigure-metadata.properties"));
		assertThat(indexes).anySatisfy((index) -> assertThat(index).satisfies((url) -> {
			try (InputStream stream = url.openStream()) {
				assertThat(new String(stream.readAllBytes(), StandardCharsets.UTF_8))
					.contains("io.lockable.autoconfigure.");
			}
		}));
	}

}
