package io.lockable.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every link of a page within the project leads to a file, and to a heading in it.
 */
class LinkTests {

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

	private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```$");

	@Test
	void everyLinkResolves() throws IOException {
		List<String> broken = new ArrayList<>();
		int links = 0;
		for (Path page : Documents.all()) {
			List<String> targets = LINK.matcher(text(page))
				.results()
				.map((link) -> link.group(1))
				.filter((target) -> !target.matches("[a-z]+:.*"))
				.toList();
			links += targets.size();
			for (String target : targets) {
				if (!resolves(page, target)) {
					broken.add("%s: %s".formatted(Documents.ROOT.relativize(page), target));
				}
			}
		}
		assertThat(links).isGreaterThan(50);
		assertThat(broken).as("broken links").isEmpty();
	}

	@Test
	void headingsBecomeAnchorsAsOnGitHub() {
		assertThat(anchor("Read/write locks")).isEqualTo("readwrite-locks");
		assertThat(anchor("`key`, `value`")).isEqualTo("key-value");
	}

	private static boolean resolves(Path page, String target) throws IOException {
		int hash = target.indexOf('#');
		String file = (hash < 0) ? target : target.substring(0, hash);
		Path linked = file.isEmpty() ? page : page.resolveSibling(file).normalize();
		return Files.exists(linked) && (hash < 0 || anchors(linked).contains(target.substring(hash + 1)));
	}

	private static Set<String> anchors(Path page) throws IOException {
		return HEADING.matcher(text(page))
			.results()
			.map((MatchResult heading) -> anchor(heading.group(1)))
			.collect(Collectors.toSet());
	}

	private static String anchor(String heading) {
		return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{Alnum} _-]", "").replace(' ', '-');
	}

	private static String text(Path page) throws IOException {
		return CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
	}

}
