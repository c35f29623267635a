package io.lockable.autoconfigure.aop;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.store.LockStore;
import io.lockable.store.RecallingLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests that {@code docs/annotation.md} shows the compiled {@link AnnotationExamples},
 * that those examples start, and that the page covers each attribute.
 */
class AnnotationPageTests {

	private static final Pattern TAGGED = Pattern
		.compile("(?s)\\t*// tag::(\\w+)\\[\\]\\n(.*?)\\n\\t*// end::\\1\\[\\]");

	private static final Pattern SHOWN = Pattern.compile("(?s)<!-- example: (\\w+) -->\\n```java\\n(.*?)\\n```");

	private final String page = read("../docs/annotation.md");

	@Test
	void pageShowsTheExamplesThatAreCompiled() {
		Map<String, String> compiled = new LinkedHashMap<>();
		Matcher tagged = TAGGED.matcher(read("src/test/java/io/lockable/autoconfigure/aop/AnnotationExamples.java"));
		while (tagged.find()) {
			compiled.put(tagged.group(1), withoutMargin(tagged.group(2)));
		}
		Map<String, String> shown = new LinkedHashMap<>();
		Matcher examples = SHOWN.matcher(this.page);
		while (examples.find()) {
			shown.put(examples.group(1), examples.group(2));
		}
		assertThat(compiled).isNotEmpty();
		assertThat(shown).containsExactlyInAnyOrderEntriesOf(compiled);
	}

	@Test
	void examplesStart() {
		new ApplicationContextRunner().withBean(LockStore.class, () -> mock(RecallingLockStore.class))
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
					DistributedLockAopAutoConfiguration.class))
			.withBean(AnnotationExamples.Keys.class)
			.withBean(AnnotationExamples.Times.class)
			.withBean(AnnotationExamples.Outcomes.class)
			.withUserConfiguration(AnnotationExamples.Own.class)
			.withBean(AnnotationExamples.OwnUse.class)
			.withBean(AnnotationExamples.Jobs.class)
			.withBean(AnnotationExamples.Accounts.class)
			.withBean(AnnotationExamples.Composed.class)
			.withBean(AnnotationExamples.Checkout.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void everyAttributeHasARowWithItsDefault() {
		assertThat(DistributedLockable.class.getDeclaredMethods()).allSatisfy((attribute) -> assertThat(this.page)
			.containsPattern("(?m)^\\| `" + attribute.getName() + "`.* \\| " + Pattern.quote(defaultOf(attribute))));
	}

	private static String defaultOf(Method attribute) {
		Object value = attribute.getDefaultValue();
		return (value instanceof String || value instanceof String[]) ? "none" : "`" + value + "`";
	}

	private static String withoutMargin(String text) {
		String margin = text.substring(0, text.length() - text.stripLeading().length());
		return text.lines()
			.map((line) -> line.startsWith(margin) ? line.substring(margin.length()) : line)
			.reduce((first, second) -> first + "\n" + second)
			.orElseThrow();
	}

	private static String read(String path) {
		try {
			return Files.readString(Path.of(path));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
