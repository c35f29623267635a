package io.lockable.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the examples in {@code docs/testing.md} are compiled and run, here and in
 * the modules with Spring.
 */
class TestingPageTests {

	private static final Pattern TAGGED = Pattern
		.compile("(?s)\\t*// tag::(\\w+)\\[\\]\\n(.*?)\\n\\t*// end::\\1\\[\\]");

	private static final Pattern SHOWN = Pattern.compile("(?s)<!-- example: (\\w+) -->\\n```java\\n(.*?)\\n```");

	private static final List<String> SOURCES = List.of("src/test/java/io/lockable/test/TestingExamplesTests.java",
			"src/test/java/io/lockable/test/MapLockStore.java", "src/test/java/io/lockable/test/MapLockStoreTests.java",
			"../lock-redis/src/test/java/io/lockable/redis/FailurePathExamplesIntegrationTests.java",
			"../lock-spring-boot-autoconfigure/src/test/java/io/lockable/autoconfigure/CheckoutTests.java",
			"../lock-spring-boot-autoconfigure/src/test/java/io/lockable/autoconfigure/aop/OrderControllerTests.java",
			"../sample-app/src/test/java/io/lockable/sample/SampleContainers.java");

	private final String page = read("../docs/testing.md");

	@Test
	void pageShowsTheExamplesThatAreCompiled() {
		Map<String, String> compiled = new LinkedHashMap<>();
		for (String source : SOURCES) {
			Matcher tagged = TAGGED.matcher(read(source));
			while (tagged.find()) {
				compiled.put(tagged.group(1), withoutMargin(tagged.group(2)));
			}
		}
		Map<String, String> shown = new LinkedHashMap<>();
		Matcher examples = SHOWN.matcher(this.page);
		while (examples.find()) {
			shown.put(examples.group(1), examples.group(2));
		}
		assertThat(compiled).hasSizeGreaterThanOrEqualTo(SOURCES.size());
		assertThat(shown).containsExactlyInAnyOrderEntriesOf(compiled);
	}

	@Test
	void pageShowsNoOtherJava() {
		assertThat(this.page.split("```java", -1)).hasSameSizeAs(this.page.split("<!-- example: ", -1));
	}

	private static String withoutMargin(String text) {
		String margin = text.substring(0, text.length() - text.stripLeading().length());
		return text.lines()
			.map((line) -> line.startsWith(margin) ? line.substring(margin.length()) : line)
			.reduce((first, second) -> first + "\n" + second)
			.orElseThrow();
	}

	private static String read(String path) {
		try {
			return Files.readString(Path.of(path));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
