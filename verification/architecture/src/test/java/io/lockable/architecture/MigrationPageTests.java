package io.lockable.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code docs/migration.md} shows the code and the properties of the small
 * applications that the module {@code benchmarks} compiles and runs.
 */
class MigrationPageTests {

	private static final int MAX_WORDS = 1300;

	private static final Pattern TAGGED = Pattern
		.compile("(?s)\\t*// tag::(\\w+)\\[\\]\\n(.*?)\\n\\t*// end::\\1\\[\\]");

	private static final Pattern SHOWN = Pattern.compile("(?s)<!-- example: (\\w+) -->\\n```java\\n(.*?)\\n```");

	private static final Pattern PROPERTIES = Pattern.compile("(?s)```properties\\n(.*?)\\n```");

	private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```$|^<!--.*?-->$");

	private final Map<String, String> compiled = new LinkedHashMap<>();

	private final StringBuilder sources = new StringBuilder();

	private final String page = read(Documents.ROOT.resolve("docs/migration.md"));

	@BeforeEach
	void readSources() throws IOException {
		Path folder = Documents.ROOT.resolve("verification/benchmarks/src/test/java/io/lockable/benchmark/migration");
		try (Stream<Path> files = Files.list(folder)) {
			for (Path file : files.sorted().toList()) {
				String source = read(file);
				this.sources.append(source);
				Matcher tagged = TAGGED.matcher(source);
				while (tagged.find()) {
					this.compiled.put(tagged.group(1), withoutMargin(tagged.group(2)));
				}
			}
		}
	}

	@Test
	void pageShowsTheExamplesThatAreCompiled() {
		Map<String, String> shown = new LinkedHashMap<>();
		Matcher examples = SHOWN.matcher(this.page);
		while (examples.find()) {
			shown.put(examples.group(1), examples.group(2));
		}
		assertThat(this.compiled).hasSizeGreaterThan(5);
		assertThat(shown).containsExactlyInAnyOrderEntriesOf(this.compiled);
	}

	@Test
	void pageShowsNoOtherJava() {
		assertThat(this.page.split("```java", -1)).hasSameSizeAs(this.page.split("<!-- example: ", -1));
	}

	@Test
	void pageShowsThePropertiesOfTheApplications() {
		List<String> properties = new ArrayList<>();
		PROPERTIES.matcher(this.page).results().forEach((block) -> block.group(1).lines().forEach(properties::add));
		assertThat(properties).hasSizeGreaterThan(1)
			.allSatisfy((property) -> assertThat(this.sources).contains("\"--" + property + "\""));
	}

	@Test
	void pageIsShort() {
		assertThat(CODE_BLOCK.matcher(this.page).replaceAll("").split("\\s+")).hasSizeLessThanOrEqualTo(MAX_WORDS);
	}

	private static String withoutMargin(String text) {
		String margin = text.substring(0, text.length() - text.stripLeading().length());
		return text.lines()
			.map((line) -> line.startsWith(margin) ? line.substring(margin.length()) : line)
			.reduce((first, second) -> first + "\n" + second)
			.orElseThrow();
	}

	private static String read(Path path) {
		try {
			return Files.readString(path);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
