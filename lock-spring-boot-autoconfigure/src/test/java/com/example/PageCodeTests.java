package com.example;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the Java blocks of {@code README.md}, {@code docs/*.md} and
 * {@code docs/guides/*.md} compile. A block with a type needs no other imports than its
 * own. Other blocks are members or statements of a class {@code Snippet}. Blocks that
 * another test compares with a compiled source are left out.
 */
@Tag("any-jdk")
class PageCodeTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern COMPARED = Pattern
		.compile("docs/(annotation|getting-started|migration|testing|guides/.+)\\.md");

	private static final Pattern JAVA = Pattern
		.compile("(?ms)(^<!-- example: [\\w./]+ -->\n)?^ *```java\n(.*?)\n *```$");

	private static final Pattern TYPE = Pattern
		.compile("(?m)^(?:(?:public|final|abstract) )*(?:class|record|interface|@interface|enum) (\\w+)");

	private static final Pattern MEMBER = Pattern.compile("\\s*(@|public |protected |private |static )");

	private static final String TYPES_OF_THE_READER = """
			record Order(String id, String customer, int amount) { }
			record Receipt() { }
			class Account { }
			interface Accounts {
				void add(String account, long cents, long fencingToken);
				void add(String account, long cents);
				void debit(String account, long fencingToken);
				void credit(String account, long fencingToken);
			}
			""";

	private static final String SNIPPET = """
			import java.time.Duration;
			import java.util.*;
			import java.util.concurrent.*;

			import io.lockable.*;
			import io.lockable.annotation.*;
			import io.lockable.autoconfigure.observability.*;
			import io.lockable.autoconfigure.shedlock.*;
			import io.lockable.engine.LockEngine;
			import io.lockable.redis.*;
			import io.lockable.store.LockStore;
			import io.micrometer.context.*;
			import io.micrometer.core.instrument.MeterRegistry;
			import io.micrometer.observation.ObservationRegistry;
			import jakarta.persistence.EntityManager;
			import jakarta.validation.Validator;
			import net.javacrumbs.shedlock.core.LockProvider;
			import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
			import org.slf4j.Logger;
			import org.springframework.beans.factory.ObjectProvider;
			import org.springframework.context.annotation.Bean;
			import org.springframework.context.event.EventListener;
			import org.springframework.data.redis.core.StringRedisTemplate;
			import org.springframework.integration.leader.DefaultCandidate;
			import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
			import org.springframework.integration.support.locks.LockRegistry;
			import org.springframework.transaction.annotation.Transactional;
			import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;
			%s
			abstract class Snippet {
				Logger log;
				DistributedLocks locks;
				LockOptions options;
				StringRedisTemplate template, like, first, second, third;
				EntityManager entityManager;
				Accounts accounts;
				String id, from, to, mail;

				abstract void rebuild();
				abstract void publish();
				abstract void send(String mail);
				%s
			}
			""";

	@ParameterizedTest(name = "{0}")
	@MethodSource("blocks")
	void blockCompiles(String place, String block, @TempDir Path classes) {
		String code = withoutEllipses(block);
		Matcher type = TYPE.matcher(code);
		JavaFileObject source = type.find() ? source(type.group(1), code) : source("Snippet", snippet(code));
		StringWriter messages = new StringWriter();
		ToolProvider.getSystemJavaCompiler()
			.getTask(messages, null, null, List.of("-proc:none", "-d", classes.toString()), null,
					List.of(source, source("Reader", TYPES_OF_THE_READER)))
			.call();
		assertThat(messages.toString()).as(place).isEmpty();
	}

	static List<Arguments> blocks() throws IOException {
		try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
				Stream<Path> guides = Files.list(ROOT.resolve("docs/guides"))) {
			return Stream.of(Stream.of(ROOT.resolve("README.md")), docs, guides)
				.flatMap((files) -> files)
				.filter((file) -> file.toString().endsWith(".md"))
				.sorted()
				.flatMap(PageCodeTests::blocks)
				.toList();
		}
	}

	private static Stream<Arguments> blocks(Path file) {
		String page = ROOT.relativize(file).toString();
		String text = read(file);
		List<MatchResult> found = JAVA.matcher(text).results().toList();
		assertThat(text.split("```java", -1)).as(page).hasSize(found.size() + 1);
		return found.stream()
			.filter((block) -> block.group(1) == null || !COMPARED.matcher(page).matches())
			.map((block) -> Arguments.of(page + ":" + text.substring(0, block.start(2)).lines().count(),
					block.group(2)));
	}

	private static String withoutEllipses(String block) {
		return block.replace("{ … }", "{ throw new UnsupportedOperationException(); }")
			.replace("-> …", "-> { }")
			.replaceAll("(?m)^\\s*…$", "");
	}

	private static String snippet(String code) {
		Map<Boolean, String> lines = code.lines()
			.collect(Collectors.partitioningBy((line) -> line.startsWith("import "), Collectors.joining("\n")));
		String rest = lines.get(false);
		return SNIPPET.formatted(lines.get(true),
				MEMBER.matcher(rest).lookingAt() ? rest : "void snippet() throws Exception {\n" + rest + "\n}");
	}

	private static JavaFileObject source(String name, String code) {
		return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return code;
			}

		};
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
