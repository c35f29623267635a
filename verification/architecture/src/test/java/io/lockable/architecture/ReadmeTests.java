package io.lockable.architecture;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the dependency and the commands in README.md work as they stand there, and
 * that the page is short.
 */
class ReadmeTests {

	@Test
	void dependencyIsTheStarterOfThisVersion() throws Exception {
		Document pom = parse(Files.readString(Documents.ROOT.resolve("lock-spring-boot-starter/pom.xml")));
		String artifact = pom.getDocumentElement().getElementsByTagName("artifactId").item(1).getTextContent();
		String version = pom.getElementsByTagName("version").item(0).getTextContent();
		assertThat(blocks("xml")).singleElement().satisfies((block) -> {
			Document dependency = parse(block);
			assertThat(text(dependency, "groupId")).isEqualTo("io.lockable");
			assertThat(text(dependency, "artifactId")).isEqualTo(artifact);
			assertThat(text(dependency, "version")).isEqualTo(version);
		});
		assertThat(blocks("groovy"))
			.containsExactly("implementation(\"io.lockable:%s:%s\")".formatted(artifact, version));
	}

	@Test
	void runAndTestAreOneCommandEach() throws IOException {
		String readme = readme();
		for (String title : List.of("Run it", "Test it")) {
			String section = readme.substring(readme.indexOf("\n## " + title + "\n") + 1);
			section = section.substring(0, section.indexOf("\n## "));
			assertThat(blocks("sh", section)).as(title)
				.singleElement()
				.satisfies(
						(command) -> assertThat(command.lines()).as("lines of the command of '%s'", title).hasSize(1));
		}
	}

	@Test
	void isShort() throws IOException {
		assertThat(readme().lines()).hasSizeLessThanOrEqualTo(160);
	}

	private static String readme() throws IOException {
		return Files.readString(Documents.ROOT.resolve("README.md"));
	}

	private static List<String> blocks(String language) throws IOException {
		return blocks(language, readme());
	}

	private static List<String> blocks(String language, String page) {
		Matcher block = Pattern.compile("(?ms)^```" + language + "\n(.*?)\n```$").matcher(page);
		return block.results().map((found) -> found.group(1)).toList();
	}

	private static Document parse(String xml) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
	}

	private static String text(Document document, String element) {
		return document.getElementsByTagName(element).item(0).getTextContent();
	}

}
