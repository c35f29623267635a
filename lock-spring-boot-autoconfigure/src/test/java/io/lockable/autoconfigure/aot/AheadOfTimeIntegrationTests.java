package io.lockable.autoconfigure.aot;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.lockable.spring.annotation.ScheduledLock;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.boot.SpringApplicationAotProcessor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes an application like Spring Boot's build plugins, compiles the generated code,
 * and runs it. Each step has its own JVM, and the locks are on a real Redis.
 */
@Tag("extended")
class AheadOfTimeIntegrationTests {

	private static final String[] CALLS = { "property disLock:7", "parts disLock:customer:acme",
			"projection disLock:a,disLock:b", "template disLock:us-a", "method disLock:ACME", "sealed disLock:4711",
			"static disLock:0.05", "bean disLock:tenant-x", "computed disLock:x", "condition disLock:7",
			"builder disLock:x-desrever", "composed composed:acme", "scheduled disLock:nightly", "interface disLock:x",
			"fallback instead none", "bean fallback later none", "handler refused handled" };

	@TempDir
	private static Path directory;

	private static RedisTestServer redis;

	@BeforeAll
	static void process() throws Exception {
		redis = RedisServers.start();
		java(List.of(), System.getProperty("java.class.path"), SpringApplicationAotProcessor.class.getName(),
				AheadOfTimeApplication.class.getName(), directory.resolve("sources").toString(),
				directory.resolve("resources").toString(), directory.resolve("classes").toString(), "io.lockable",
				"aot", "--spring.data.redis.port=1");
		List<String> arguments = new ArrayList<>(
				List.of("-d", directory.resolve("classes").toString(), "-cp", classPath(), "-proc:none"));
		try (Stream<Path> sources = Files.walk(directory.resolve("sources"))) {
			sources.map(Path::toString).filter((source) -> source.endsWith(".java")).forEach(arguments::add);
		}
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
			.isZero();
	}

	@AfterAll
	static void close() {
		redis.close();
	}

	@Test
	void generatedApplicationLocks() throws Exception {
		String output = java(List.of("-Dspring.aot.enabled=true"), classPath(), AheadOfTimeApplication.class.getName(),
				"--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port());
		assertThat(output).contains("Starting AOT-processed AheadOfTimeApplication")
			.contains(Stream.of(CALLS).map("call: "::concat).toList());
	}

	@Test
	void everyReflectiveAccessHasAHint() throws Exception {
		Path agent = Path.of(RecordedInvocation.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		String output = java(
				List.of("-javaagent:" + agent + "=+io.lockable,+org.springframework.expression",
						"-Dspring.aot.enabled=true"),
				classPath(), RecordedApplication.class.getName(), "--spring.data.redis.host=" + redis.host(),
				"--spring.data.redis.port=" + redis.port());
		assertThat(output).contains(Stream.of(CALLS).map("call: "::concat).toList())
			.containsPattern("recorded: \\d{2,}")
			.contains("done")
			.doesNotContain("missing: ");
	}

	@Test
	void scriptsAreInTheNativeImage() throws IOException {
		assertThat(metadata().replace("\\/", "/")).contains("io/lockable/redis/script/*.lua");
	}

	@Test
	void attributesOfAnnotationsAreInTheNativeImage() throws IOException {
		assertThat(metadata()).contains(ScheduledLock.class.getName(),
				AheadOfTimeApplication.CustomerLock.class.getName());
	}

	private static String metadata() throws IOException {
		try (Stream<Path> files = Files.walk(directory.resolve("resources"))) {
			return files.filter((file) -> file.toString().endsWith(".json")).map((file) -> {
				try {
					return Files.readString(file);
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
			}).collect(Collectors.joining());
		}
	}

	private static String classPath() {
		return Stream
			.of(directory.resolve("classes").toString(), directory.resolve("resources").toString(),
					System.getProperty("java.class.path"))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static String java(List<String> options, String classPath, String... arguments)
			throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(options);
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		try {
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(process.exitValue()).as(output).isZero();
			return output;
		}
		finally {
			process.destroyForcibly();
		}
	}

}
