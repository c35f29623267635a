package io.lockable.autoconfigure.troubleshooting;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockable.autoconfigure.troubleshooting.TroubleshootingPage.Entry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code docs/troubleshooting.md} quotes messages of the published classes
 * only, that each entry has a cause and a cure, and that the table leads to each.
 */
class TroubleshootingPageTests {

	/**
	 * Errors of a Redis server, which the integration tests provoke.
	 */
	static final Set<String> ERRORS_OF_REDIS = Set.of(
			"OOM command not allowed when used memory > 'maxmemory'. <details>",
			"READONLY You can't write against a read only replica. <details>",
			"WRONGTYPE Operation against a key holding the wrong kind of value<details>");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+) \\| \\[(.+)]\\(#(.+)\\) \\|$");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private static final MessageTemplates TEMPLATES = new MessageTemplates(Stream
		.of("lock-core", "lock-redis", "lock-spring", "lock-spring-boot-autoconfigure",
				"lock-spring-boot-autoconfigure/boot-3")
		.map((module) -> Path.of("..", module, "src/main/java"))
		.toList(), ERRORS_OF_REDIS);

	private final TroubleshootingPage page = new TroubleshootingPage();

	@Test
	void everyMessageIsOneOfTheSources() {
		List<String> messages = this.page.entries()
			.values()
			.stream()
			.flatMap((entry) -> entry.messages().stream())
			.toList();
		assertThat(messages).hasSizeGreaterThan(50).doesNotHaveDuplicates();
		assertThat(messages).filteredOn((message) -> !TEMPLATES.canMake(message))
			.as("messages that no source makes")
			.isEmpty();
	}

	@Test
	void changedMessageIsNoneOfTheSources() {
		assertThat(TEMPLATES.canMake("Lock '<key>' is held by another owner")).isTrue();
		assertThat(TEMPLATES.canMake("Lock '<key>' is held by an other owner")).isFalse();
		assertThat(TEMPLATES.canMake("Lock '<key>' is held by another owner.")).isFalse();
		assertThat(TEMPLATES.canMake("Lock '42' is held by another owner")).isFalse();
		String lost = "Lock '<key>' (<name>) is lost: %s. Work done under it may overlap with another owner's";
		assertThat(TEMPLATES.canMake(lost.formatted("it was released by force"))).isTrue();
		assertThat(TEMPLATES.canMake(lost.formatted("it was released by nobody"))).isFalse();
	}

	@Test
	void everyEntryHasACauseAndACure() {
		assertThat(this.page.entries().values()).hasSizeGreaterThan(25)
			.allSatisfy(
					(entry) -> assertThat(entry.body()).containsOnlyOnce("**Cause.** ").containsOnlyOnce("**Cure.** "));
	}

	@Test
	void tableLeadsToEveryEntry() {
		List<String> headings = new ArrayList<>();
		for (MatchResult row : ROW.matcher(this.page.text()).results().toList()) {
			headings.add(row.group(2));
			assertThat(row.group(3)).isEqualTo(anchor(row.group(2)));
		}
		assertThat(headings).containsExactlyElementsOf(this.page.entries().keySet());
	}

	@Test
	void tableQuotesTheMessagesOfItsEntries() {
		Map<String, Entry> entries = this.page.entries();
		for (MatchResult row : ROW.matcher(this.page.text()).results().toList()) {
			List<String> messages = entries.get(row.group(2)).messages();
			List<String> quoted = CODE.matcher(row.group(1)).results().map((code) -> code.group(1)).toList();
			if (!messages.isEmpty()) {
				assertThat(quoted).as(row.group()).singleElement().satisfies((quote) -> {
					String[] parts = quote.split("\\s*…\\s*");
					assertThat(messages).as(quote).anySatisfy((message) -> assertThat(message).contains(parts));
				});
			}
		}
	}

	private static String anchor(String heading) {
		return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{Alnum} _-]", "").replace(' ', '-');
	}

}
