package io.lockable.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.springframework.boot.configurationmetadata.ConfigurationMetadataProperty;
import org.springframework.boot.configurationmetadata.ConfigurationMetadataRepositoryJsonBuilder;

/**
 * The page {@code docs/properties.md}, written from the configuration metadata of the
 * published jars.
 */
final class PropertiesPage {

	private static final String PREFIX = "distributed-lock.";

	private static final String HEAD = """
			# Properties

			All properties start with `distributed-lock.` A duration is written as `10s`, `500ms` or `5m`.
			An invalid value or a misspelled name fails application startup, and the message names the correct one.

			<!-- Generated from the configuration metadata of the starter. -->
			""";

	private static final List<Section> SECTIONS = List.of(
			new Section("Locks", "", "[The annotation](annotation.md) overrides most of them for one method."),
			new Section("Checks at startup", "check.", "[Start, stop and health](operations.md) describes the checks."),
			new Section("Redis", "redis.", "[Replicas](replication.md) and [several masters](redlock.md) have pages."),
			new Section("PostgreSQL", "postgresql.", "[The page of the store](postgresql.md) explains them."),
			new Section("Request id", "request-id.", "[The request id](context.md) describes its way."),
			new Section("Web", "web.", "[Problem details](api.md#problem-details) lists the responses."),
			new Section("Actuator", "actuator.", "[The endpoint](actuator.md) lists and releases locks."),
			new Section("Spring Integration", "integration.", "[Other lock APIs](interoperability.md) has examples."),
			new Section("ShedLock", "shedlock.", "[Other lock APIs](interoperability.md) has examples."));

	private PropertiesPage() {
	}

	static String write() throws IOException {
		List<ConfigurationMetadataProperty> properties = properties();
		StringBuilder page = new StringBuilder(HEAD);
		for (Section section : SECTIONS) {
			page.append("\n## %s\n\n%s\n\n| property | default | meaning |\n|---|---|---|\n".formatted(section.title(),
					section.link()));
			properties.stream().filter(section::has).forEach((property) -> page.append(row(property)));
		}
		return page.toString();
	}

	static List<ConfigurationMetadataProperty> properties() throws IOException {
		ConfigurationMetadataRepositoryJsonBuilder builder = ConfigurationMetadataRepositoryJsonBuilder.create();
		String resource = "META-INF/spring-configuration-metadata.json";
		for (URL url : Collections.list(PropertiesPage.class.getClassLoader().getResources(resource))) {
			try (InputStream metadata = url.openStream()) {
				builder.withJsonResource(metadata);
			}
		}
		return builder.build()
			.getAllProperties()
			.values()
			.stream()
			.filter((property) -> property.getId().startsWith(PREFIX))
			.sorted((one, other) -> one.getId().compareTo(other.getId()))
			.toList();
	}

	private static String row(ConfigurationMetadataProperty property) {
		Object preset = property.getDefaultValue();
		return "| `%s` | %s | %s%s |\n".formatted(name(property), (preset != null) ? "`" + preset + "`" : "",
				property.getDescription().replaceAll("'([^' ]+)'", "`$1`"), values(property.getType()));
	}

	private static String values(String type) {
		try {
			Object[] constants = Class.forName(type, false, PropertiesPage.class.getClassLoader()).getEnumConstants();
			return (constants == null) ? ""
					: Arrays.stream(constants)
						.map((constant) -> "`" + ((Enum<?>) constant).name().toLowerCase(Locale.ROOT) + "`")
						.collect(Collectors.joining(", ", " One of ", "."));
		}
		catch (ClassNotFoundException ex) {
			return "";
		}
	}

	private static String name(ConfigurationMetadataProperty property) {
		return property.getId().substring(PREFIX.length());
	}

	/**
	 * A table of the page.
	 *
	 * @param title its title
	 * @param start how the names of its properties start; empty for names without a dot
	 * @param link the sentence above the table
	 */
	private record Section(String title, String start, String link) {

		boolean has(ConfigurationMetadataProperty property) {
			String name = name(property);
			return this.start.isEmpty() ? name.indexOf('.') < 0 : name.startsWith(this.start);
		}

	}

}
