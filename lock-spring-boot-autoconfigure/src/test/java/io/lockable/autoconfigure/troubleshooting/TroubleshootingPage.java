package io.lockable.autoconfigure.troubleshooting;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The entries of {@code docs/troubleshooting.md}.
 */
final class TroubleshootingPage {

	private static final Pattern ENTRY = Pattern.compile("(?ms)^### (.+?)$(.*?)(?=^##|\\z)");

	private static final Pattern MESSAGES = Pattern.compile("(?s)```text\\n(.*?)\\n```");

	private static final Pattern PLACEHOLDER = Pattern.compile("<[^<>]+>");

	private final String text;

	private final Map<String, Entry> entries = new LinkedHashMap<>();

	TroubleshootingPage() {
		try {
			this.text = Files.readString(Path.of("../docs/troubleshooting.md"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Matcher entry = ENTRY.matcher(this.text);
		while (entry.find()) {
			List<String> messages = MESSAGES.matcher(entry.group(2))
				.results()
				.flatMap((block) -> block.group(1).lines())
				.toList();
			Entry earlier = this.entries.put(entry.group(1), new Entry(entry.group(1), entry.group(2), messages));
			assertThat(earlier).as("an earlier entry '%s'", entry.group(1)).isNull();
		}
	}

	String text() {
		return this.text;
	}

	Map<String, Entry> entries() {
		return this.entries;
	}

	/**
	 * Asserts that an entry shows a message that was observed.
	 * @param heading the heading of the entry
	 * @param actual the message, or text that has it, such as a log
	 */
	void assertShown(String heading, CharSequence actual) {
		assertThat(this.entries).containsKey(heading);
		assertThat(this.entries.get(heading).messages()).as("messages of '%s', one of which is in: %s", heading, actual)
			.anySatisfy((message) -> assertThat(pattern(message).matcher(actual).find()).isTrue());
	}

	// A logger or an enclosing failure may come first, the cure or a place afterwards.
	private static Pattern pattern(String message) {
		String pattern = Arrays.stream(PLACEHOLDER.split(message, -1))
			.map((part) -> part.isEmpty() ? "" : Pattern.quote(part))
			.collect(Collectors.joining(".+?"));
		return Pattern.compile("(?m)(?:^|[-:.] )" + pattern + "\\.?(?= |$)");
	}

	/**
	 * An entry.
	 *
	 * @param heading its heading
	 * @param body its text
	 * @param messages the messages that it shows
	 */
	record Entry(String heading, String body, List<String> messages) {

	}

}
