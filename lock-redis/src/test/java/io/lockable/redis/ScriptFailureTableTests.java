package io.lockable.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the tables of {@code docs/decisions.md} about lost, doubled and late answers
 * are complete. Each script has a table, each event has a row, and each row names
 * existing tests.
 */
class ScriptFailureTableTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Path SCRIPTS = Path.of("src/main/resources/io/lockable/redis/script");

	private static final String TITLE = "## What a lost, doubled or late answer does";

	private static final String[] EVENTS = { "error", "no answer", "runs twice", "late answer",
			"after a newer answer" };

	private static final Pattern HEADING = Pattern.compile("^\\*\\*(`.+`)\\.\\*\\* .+$");

	private static final Pattern ROW = Pattern.compile("^\\| ([^`|]+) \\| ([^|]+) \\| ([^|]+) \\|$");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private static final String ANNOTATED = "@(Test|ParameterizedTest|RepeatedTest)(\\([^)]*\\))?\\s+"
			+ "(@\\w+(\\([^;]*?\\))?\\s+)*(\\w+ )*void ";

	private static final Pattern TEST = Pattern.compile("(\\w+Tests)#(\\w+)");

	@Test
	void everyScriptHasARowForEachEvent() throws IOException {
		Map<String, List<Row>> tables = tables();
		assertThat(scripts(false)).contains("acquire", "redlock_release").allSatisfy((script) -> {
			assertThat(tables).as("a table for %s.lua", script).containsKey(script);
			assertThat(tables.get(script)).as(script).extracting(Row::event).containsExactly(EVENTS);
		});
	}

	@Test
	void everyTableIsOfAScript() throws IOException {
		Set<String> scripts = new TreeSet<>(scripts(false));
		scripts.addAll(scripts(true));
		assertThat(scripts).containsAll(tables().keySet());
		List<String> codes = codes(section().lines().takeWhile((line) -> !line.startsWith("**")));
		assertThat(scripts(true)).allSatisfy((part) -> assertThat(codes.contains(part) || tables().containsKey(part))
			.as("the part %s is named", part)
			.isTrue());
	}

	@Test
	void everyRowNamesTestsThatExist() throws IOException {
		Map<String, String> sources = sources();
		for (Map.Entry<String, List<Row>> table : tables().entrySet()) {
			for (Row row : table.getValue()) {
				List<String> tests = codes(Stream.of(row.tests()));
				assertThat(tests).as("%s, %s", table.getKey(), row.event()).isNotEmpty().allSatisfy((test) -> {
					Matcher name = TEST.matcher(test);
					assertThat(name.matches()).as(test).isTrue();
					assertThat(sources).as(test).containsKey(name.group(1));
					assertThat(isTest(sources.get(name.group(1)), name.group(2))).as("%s is a test", test).isTrue();
				});
			}
		}
	}

	private static boolean isTest(String source, String method) {
		return Pattern.compile(ANNOTATED + method + "\\(").matcher(source).find();
	}

	/**
	 * Returns the scripts, or the parts that scripts include.
	 */
	private static Set<String> scripts(boolean parts) throws IOException {
		Set<String> scripts = new TreeSet<>();
		try (Stream<Path> files = Files.list(SCRIPTS)) {
			for (Path file : files.toList()) {
				if (Files.readString(file).startsWith("-- Common part") == parts) {
					scripts.add(file.getFileName().toString().replace(".lua", ""));
				}
			}
		}
		return scripts;
	}

	private static Map<String, List<Row>> tables() throws IOException {
		Map<String, List<Row>> tables = new LinkedHashMap<>();
		List<String> current = List.of();
		for (String line : section().lines().toList()) {
			Matcher heading = HEADING.matcher(line);
			Matcher row = ROW.matcher(line);
			if (heading.matches()) {
				current = codes(Stream.of(heading.group(1)));
				current.forEach((script) -> assertThat(tables.put(script, new ArrayList<>())).as(script).isNull());
			}
			else if (row.matches() && !row.group(1).equals("event")) {
				current.forEach((script) -> tables.get(script).add(new Row(row.group(1), row.group(3))));
			}
		}
		return tables;
	}

	private static String section() throws IOException {
		String page = Files.readString(ROOT.resolve("docs/decisions.md"));
		int from = page.indexOf(TITLE);
		assertThat(from).as(TITLE).isNotNegative();
		return page.substring(from + TITLE.length(), page.indexOf("\n## ", from + TITLE.length()));
	}

	private static List<String> codes(Stream<String> lines) {
		return lines.flatMap((line) -> CODE.matcher(line).results().map((code) -> code.group(1))).toList();
	}

	/**
	 * Returns the sources of all test classes by name.
	 */
	private static Map<String, String> sources() throws IOException {
		Map<String, String> sources = new LinkedHashMap<>();
		for (String folder : List.of("lock-core/src/test/java", "lock-redis/src/test/java",
				"lock-test/src/main/java")) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
				for (Path file : files.filter((each) -> each.toString().endsWith("Tests.java")).toList()) {
					sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
				}
			}
		}
		return sources;
	}

	/**
	 * A row of a table.
	 *
	 * @param event the event of an answer
	 * @param tests the tests that show the outcome
	 */
	private record Row(String event, String tests) {

	}

}
