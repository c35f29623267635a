package io.lockable.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each test that these pages of {@code docs} name exists.
 */
class EvidenceTests {

	private static final Pattern TEST = Pattern.compile("`(\\w*Tests)?#(\\w+)`");

	private static final Pattern SUPERTYPES = Pattern.compile("(?:extends|implements) (\\w+Tests)");

	@ParameterizedTest
	@ValueSource(strings = { "comparison", "decisions", "security" })
	void everyNamedTestExists(String page) throws IOException {
		Map<String, List<String>> sources = sources();
		Matcher named = TEST.matcher(Files.readString(Documents.ROOT.resolve("docs/" + page + ".md")));
		List<String> missing = new ArrayList<>();
		String type = "";
		int found = 0;
		while (named.find()) {
			// A method alone belongs to the class before
			type = (named.group(1) != null) ? named.group(1) : type;
			found++;
			if (!isThere(type, named.group(2), sources)) {
				missing.add(type + "#" + named.group(2));
			}
		}
		assertThat(found).isGreaterThan(12);
		assertThat(missing).as("tests that docs/%s.md names", page).isEmpty();
	}

	private static boolean isThere(String type, String method, Map<String, List<String>> sources) {
		for (String source : sources.getOrDefault(type, List.of())) {
			if (source.contains("void " + method + "(") || source.contains("fun " + method + "(")
					|| SUPERTYPES.matcher(source)
						.results()
						.anyMatch((supertype) -> !supertype.group(1).equals(type)
								&& isThere(supertype.group(1), method, sources))) {
				return true;
			}
		}
		return false;
	}

	private static Map<String, List<String>> sources() throws IOException {
		Map<String, List<String>> sources = new TreeMap<>();
		try (Stream<Path> files = Files.walk(Documents.ROOT)) {
			for (Path file : files.filter((path) -> path.toString().matches(".*/src/.*Tests\\.(java|kt)")).toList()) {
				String name = file.getFileName().toString();
				sources.computeIfAbsent(name.substring(0, name.lastIndexOf('.')), (type) -> new ArrayList<>())
					.add(Files.readString(file));
			}
		}
		return sources;
	}

}
