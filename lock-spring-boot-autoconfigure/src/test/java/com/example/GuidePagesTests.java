package com.example;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code docs/getting-started.md} and {@code docs/guides/*.md} show the
 * classes of the packages beside this one, which are compiled and run here.
 */
class GuidePagesTests {

	private static final Pattern EXAMPLE = Pattern.compile("(?s)<!-- example: (\\S+) -->\\n```java\\n(.*?)\\n```");

	@Test
	void pagesShowEachExampleOnceAsItIsCompiled() throws Exception {
		Map<String, String> shown = new LinkedHashMap<>();
		Map<String, String> compiled = new LinkedHashMap<>();
		List<String> repeated = new ArrayList<>();
		for (String page : GuidePages.all()) {
			Matcher examples = EXAMPLE.matcher(GuidePages.text(page));
			while (examples.find()) {
				String source = examples.group(1);
				compiled.put(source, GuidePages.shown(source, page));
				if (shown.put(source, examples.group(2)) != null) {
					repeated.add(source);
				}
			}
		}
		assertThat(shown).containsExactlyEntriesOf(compiled);
		assertThat(repeated).isEmpty();
		assertThat(shown).containsOnlyKeys(GuidePages.sources());
	}

	@Test
	void pomIsThatOfThisVersionAndItsSpringBoot() throws Exception {
		Document pom = parse(GuidePages.block("getting-started.md", "xml"));
		assertThat(text(pom, "parent", 0)).contains("spring-boot-starter-parent", SpringBootVersion.getVersion());
		assertThat(text(pom, "dependency", 1)).contains("io.lockable", "lock-spring-boot-starter", version());
	}

	@Test
	void gradleBuildIsThatOfThisVersionAndItsSpringBoot() throws Exception {
		assertThat(GuidePages.block("getting-started.md", "groovy")).contains(
				"id(\"org.springframework.boot\") version \"%s\"".formatted(SpringBootVersion.getVersion()),
				"implementation(\"io.lockable:lock-spring-boot-starter:%s\")".formatted(version()), "mavenLocal()");
	}

	private static String version() throws Exception {
		Element parent = (Element) parse(Files.readString(Path.of("pom.xml"))).getElementsByTagName("parent").item(0);
		return parent.getElementsByTagName("version").item(0).getTextContent();
	}

	private static String text(Document document, String element, int index) {
		return document.getElementsByTagName(element).item(index).getTextContent();
	}

	private static Document parse(String xml) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
	}

}
