package io.lockable.engine.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.Main;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the {@link ShellScenarios} under jcstress, in separate JVMs. They test the shell
 * around the state machine: {@link KeyShell}, {@link LocalLease}, {@link KeyShells} and
 * the timer. The rules of the state machine itself are explored without threads.
 */
@Tag("extended")
class ShellStressTests {

	private static final Path FOLDER = Path.of("target", "jcstress").toAbsolutePath();

	private static final int TIMEOUT_SECONDS = 480;

	// Only a few scenarios run at a time, so that their threads stay close to each other.
	private static final List<String> OPTIONS = List.of("-m", "quick", "-iters", "2", "-strideSize", "16", "-sc",
			"false", "-af", "NONE", "-pth", "false", "-jvmArgs", "-XX:+UseSerialGC", "-v");

	private static final Pattern SCENARIO = Pattern.compile("\\[OK] \\S+ShellScenarios\\.\\w+");

	private static final Pattern ACCEPTABLE = Pattern.compile("^ +(\\S.*\\S) +([\\d,]+) +<?[\\d.]+% +Acceptable ",
			Pattern.MULTILINE);

	@Test
	@Timeout(value = TIMEOUT_SECONDS + 30, unit = TimeUnit.SECONDS)
	@SuppressWarnings("checkstyle:noConsole") // The output contains the samples.
	void promisesHoldWhateverTwoThreadsDoToAKeyAtATime() throws Exception {
		String output = run();
		String results = output.substring(output.indexOf("RUN RESULTS:"));
		System.out.println(results);
		assertThat(SCENARIO.matcher(results).results()).hasSize(ShellScenarios.class.getDeclaredClasses().length);
		assertThat(ACCEPTABLE.matcher(results).results().mapToInt(ShellStressTests::samples).sum()).as("samples")
			.isGreaterThan(10_000);
	}

	private static int samples(MatchResult outcome) {
		return Integer.parseInt(outcome.group(2).replace(",", ""));
	}

	private static String run() throws IOException, InterruptedException {
		Files.createDirectories(FOLDER);
		Path output = FOLDER.resolve("output.txt");
		Process process = new ProcessBuilder(command()).directory(FOLDER.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
			String text = Files.readString(output);
			assertThat(ended).as(text).isTrue();
			assertThat(process.exitValue()).as(text).isZero();
			return text;
		}
		finally {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
		}
	}

	private static List<String> command() {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Duser.language=en", "-cp", System.getProperty("java.class.path"), Main.class.getName(),
				"-r", FOLDER.toString(), "-t", ShellScenarios.class.getName()));
		command.addAll(OPTIONS);
		return command;
	}

}
