package io.lockable.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A source file is short enough to be read at once. The contracts, which are tests to
 * extend, may be longer.
 */
class FileSizeTests {

	private static final int MAX_LINES = 400;

	private static final int LINES_WITHOUT_REASON = 300;

	private static final Pattern REASON = Pattern.compile("300 lines(, as| because) ");

	@Test
	void noPublishedSourceFileHasMoreThanFourHundredLines() throws IOException {
		List<Path> sources = sources();
		assertThat(sources).hasSizeGreaterThan(100);
		List<String> tooLong = new ArrayList<>();
		for (Path source : sources) {
			int lines = Files.readAllLines(source).size();
			if (lines > MAX_LINES) {
				tooLong.add("%s: %d lines".formatted(Documents.ROOT.relativize(source), lines));
			}
		}
		assertThat(tooLong).isEmpty();
	}

	@Test
	void publishedSourceFileOfMoreThanThreeHundredLinesSaysWhy() throws IOException {
		List<String> silent = new ArrayList<>();
		for (Path source : sources()) {
			List<String> lines = Files.readAllLines(source);
			if (lines.size() > LINES_WITHOUT_REASON
					&& !REASON.matcher(String.join(" ", lines).replace(" * ", "")).find()) {
				silent.add("%s: %d lines".formatted(Documents.ROOT.relativize(source), lines.size()));
			}
		}
		assertThat(silent).as("state the reason in the Javadoc of the class: \"longer than 300 lines because ...\"")
			.isEmpty();
	}

	private static List<Path> sources() throws IOException {
		try (Stream<Path> files = Files.walk(Documents.ROOT)) {
			return files
				.filter((path) -> path.toString().matches(".*/lock-[\\w-]+/src/main/java/.*(?<!ContractTests)\\.java"))
				.toList();
		}
	}

}
