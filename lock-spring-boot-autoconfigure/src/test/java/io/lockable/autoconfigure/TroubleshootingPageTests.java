package io.lockable.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code docs/troubleshooting.md} quotes messages of the published classes.
 * The text between two {@code <values>} consists of a few literals of their sources.
 * Errors of Redis are exempt.
 */
class TroubleshootingPageTests {

	private static final Pattern MESSAGES = Pattern.compile("(?s)```text\\n(.*?)\\n```");

	private static final Pattern REDIS = Pattern.compile("(OOM|READONLY|WRONGTYPE) .*");

	private static final int MAX_LITERALS = 4;

	@Test
	void everyMessageIsInTheSources() throws IOException {
		String sources = sources();
		List<String> messages = MESSAGES.matcher(Files.readString(Path.of("../docs/troubleshooting.md")))
			.results()
			.flatMap((block) -> block.group(1).lines())
			.toList();
		assertThat(messages).hasSizeGreaterThan(50).doesNotHaveDuplicates();
		assertThat(messages).allSatisfy((message) -> {
			for (String part : REDIS.matcher(message).replaceAll("").split("<[^<>]+>", -1)) {
				assertThat(literals(part, sources)).as("'%s' in: %s", part, message).isLessThanOrEqualTo(MAX_LITERALS);
			}
		});
	}

	private static int literals(String text, String sources) {
		int literals = 0;
		for (int from = 0; from < text.length(); literals++) {
			int to = text.length();
			while (to > from + 1 && !sources.contains(text.substring(from, to))) {
				to--;
			}
			from = to;
		}
		return literals;
	}

	// String literals that are concatenated become one
	private static String sources() throws IOException {
		StringBuilder sources = new StringBuilder();
		for (String module : List.of("lock-core", "lock-redis", "lock-spring", "lock-spring-boot-autoconfigure")) {
			try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
					sources.append(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\""));
				}
			}
		}
		return sources.toString();
	}

}
