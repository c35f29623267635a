package io.lockable.redis.script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some servers run scripts with Lua 5.3 or later, where powers and quotients are no
 * integers, {@code math.min} and {@code math.max} compare texts as texts, and
 * {@code unpack} has moved.
 */
class LuaNumbersTests {

	private static final List<Pattern> PATTERNS = List.of(Pattern.compile("\\^ *\\d"),
			Pattern.compile("(?<!math\\.(floor|ceil)\\([^/]{0,40}) / "),
			Pattern.compile("math\\.(min|max)\\((ARGV|.*, ARGV)"), Pattern.compile("(?<!or |table\\.)unpack"));

	@ParameterizedTest
	@MethodSource("scripts")
	void scriptWorksWithIntegersInEachVersionOfLua(Path script) throws IOException {
		String code = Files.readAllLines(script)
			.stream()
			.map((line) -> line.replaceFirst("--.*", "").replaceAll("'[^']*'", "''"))
			.filter((line) -> !line.isBlank())
			.collect(Collectors.joining("\n"));
		assertThat(PATTERNS).allSatisfy((pattern) -> assertThat(code).doesNotContainPattern(pattern));
	}

	static List<Path> scripts() {
		try (Stream<Path> files = Files.list(Path.of("src/main/resources/io/lockable/redis/script"))) {
			return files.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
