package com.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages {@code docs/getting-started.md} and {@code docs/guides/*.md}, and the sources
 * of their examples.
 */
public final class GuidePages {

	private static final Path DOCS = Path.of("../docs");

	private static final Path SOURCES = Path.of("src/test/java");

	private static final String STARTED = "getting-started.md";

	private GuidePages() {
	}

	/**
	 * Returns the pages.
	 * @return their paths below {@code docs}
	 * @throws IOException if a folder cannot be read
	 */
	static List<String> all() throws IOException {
		return Stream.concat(Stream.of(STARTED), guides().stream()).toList();
	}

	/**
	 * Returns the guides.
	 * @return their paths below {@code docs}
	 * @throws IOException if the folder cannot be read
	 */
	static List<String> guides() throws IOException {
		try (Stream<Path> files = Files.list(DOCS.resolve("guides"))) {
			return files.map((file) -> "guides/" + file.getFileName()).sorted().toList();
		}
	}

	/**
	 * Returns the sources that the pages show: all but the tests.
	 * @return their paths below the source folder
	 * @throws IOException if a folder cannot be read
	 */
	static List<String> sources() throws IOException {
		try (Stream<Path> files = Files.walk(SOURCES.resolve("com/example"))) {
			return files.map((file) -> SOURCES.relativize(file).toString())
				.filter((file) -> file.matches("com/example/\\w+/\\w+(?<!Tests)\\.java"))
				.sorted()
				.toList();
		}
	}

	/**
	 * Returns a source as a page shows it. A guide omits the package.
	 * @param source the path below the source folder
	 * @param page the path below {@code docs}
	 * @return the code
	 */
	static String shown(String source, String page) {
		String code = read(SOURCES.resolve(source)).stripTrailing();
		return page.equals(STARTED) ? code : code.replaceFirst("package [\\w.]+;\n\n", "");
	}

	/**
	 * Returns a page.
	 * @param page the path below {@code docs}
	 * @return its text
	 */
	public static String text(String page) {
		return read(DOCS.resolve(page));
	}

	/**
	 * Returns the only block of a page in a language.
	 * @param page the path below {@code docs}
	 * @param language the language
	 * @return the block
	 */
	public static String block(String page, String language) {
		List<String> blocks = Pattern.compile("(?ms)^```" + language + "\n(.*?)\n```$")
			.matcher(text(page))
			.results()
			.map((MatchResult found) -> found.group(1))
			.toList();
		assertThat(blocks).as("blocks in %s of %s", language, page).hasSize(1);
		return blocks.get(0);
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
