package io.lockable.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The annotation processors that write these files fall silent when the compiler does not
 * find them.
 */
class ConfigurationMetadataTests {

	private static final Pattern NAME = Pattern.compile("\"name\": \"distributed-lock\\.([^\"]+)\"");

	@Test
	void propertiesAreDescribed() throws IOException {
		assertThat(contents("META-INF/spring-configuration-metadata.json"))
			.anySatisfy((metadata) -> assertThat(metadata).contains("\"distributed-lock."));
	}

	@Test
	void everyPropertyHasItsRowInTheReadme() throws IOException {
		String readme = Files.readString(Path.of("").toAbsolutePath().getParent().resolve("README.md"));
		List<String> rows = readme.substring(readme.indexOf("\n## Properties\n"))
			.lines()
			.skip(2)
			.takeWhile((line) -> !line.startsWith("## "))
			.filter((line) -> line.startsWith("| `"))
			.map((row) -> row.substring(1, row.indexOf(" |")))
			.toList();
		List<String> names = properties();
		assertThat(names).contains("lease", "actuator.force-release.enabled");
		assertThat(names).filteredOn((name) -> rows.stream().noneMatch((row) -> row.contains("`" + name + "`")))
			.as("properties that have no row in the table of README.md, in front of their default and meaning")
			.isEmpty();
	}

	@Test
	void autoConfigurationConditionsAreIndexed() throws IOException {
		assertThat(contents("META-INF/spring-autoconfigure-metadata.properties"))
			.anySatisfy((metadata) -> assertThat(metadata).contains("io.lockable.autoconfigure."));
	}

	private static List<String> properties() throws IOException {
		List<String> names = new ArrayList<>();
		for (String metadata : contents("META-INF/spring-configuration-metadata.json")) {
			// Behind the groups, which have names as well
			Matcher name = NAME.matcher(metadata.substring(metadata.indexOf("\"properties\"")));
			while (name.find()) {
				names.add(name.group(1));
			}
		}
		return names;
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
