package io.lockable.autoconfigure.aop;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.spring.aop.DistributedLockAspect;
import io.lockable.spring.aop.Weaving;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DistributedLockAspect} and {@link Weaving} under load-time weaving, in
 * a separate JVM with the AspectJ agent.
 */
@Tag("extended")
class WeavingTests {

	@Test
	void wovenMethodsAreLockedWhoeverCallsThemAndClassesOfOtherWeaversByTheirProxies() throws Exception {
		assertThat(run())
			.contains("proxy call: 1", "self-invocation: 1", "private method: 1", "final method: 1", "repeated: 1 1",
					"meta-annotation: 1", "held by other: LockNotAcquiredException", "after: 0", "not a bean: 1",
					"arguments: 1", "in a transaction: lock first", "stage: done", "recursion: 2", "woven by others: 1",
					"declared above: 1", "WovenByOthers.heldInPrivate(): a private method cannot be intercepted")
			.doesNotContain("calls it on the same object", "Service.heldInPrivate()");
	}

	@Test
	void wovenMethodsAreNotRunBeforeAnApplicationHasStarted() throws Exception {
		assertThat(run("unconfigured")).contains("no application with distributed locks is running",
				"The method was not run.");
	}

	@Test
	void applicationThatClosesLeavesTheAspectToNobodyElse() throws Exception {
		assertThat(run("closed")).contains("another closed: 1", "no application with distributed locks is running",
				"The method was not run.");
	}

	@Test
	void wovenMethodsRunUnlockedWhereLocksAreDisabled() throws Exception {
		assertThat(run("disabled")).contains("disabled: ran");
	}

	private static String run(String... arguments) throws IOException, InterruptedException, URISyntaxException {
		Path agent = Path.of(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-javaagent:" + agent,
						"-Dorg.aspectj.weaver.loadtime.configuration=META-INF/aop.xml;META-INF/aop-woven.xml",
						"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
						WovenApplication.class.getName()));
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
