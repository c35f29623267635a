package io.lockable.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The annotation processors that write these files fall silent when the compiler does not
 * find them.
 */
class ConfigurationMetadataTests {

	@Test
	void propertiesAreDescribed() throws IOException {
		assertThat(contents("META-INF/spring-configuration-metadata.json"))
			.anySatisfy((metadata) -> assertThat(metadata).contains("\"distributed-lock."));
	}

	@Test
	void autoConfigurationConditionsAreIndexed() throws IOException {
		assertThat(contents("META-INF/spring-autoconfigure-metadata.properties"))
			.anySatisfy((metadata) -> assertThat(metadata).contains("io.lockable.autoconfigure."));
	}

	private static List<String> contents(String resource) throws IOException {
		List<String> contents = new ArrayList<>();
		for (URL url : Collections.list(ConfigurationMetadataTests.class.getClassLoader().getResources(resource))) {
			try (InputStream stream = url.openStream()) {
				contents.add(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
			}
		}
		return contents;
	}

}
