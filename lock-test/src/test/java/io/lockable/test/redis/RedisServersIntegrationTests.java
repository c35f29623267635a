package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisServers} and the servers that it starts.
 */
class RedisServersIntegrationTests {

	private final RedisTestServer server = RedisServers.start();

	@AfterEach
	void closeServer() {
		this.server.close();
	}

	@Test
	void startGivesAServerThatAnswersOnLoopback() {
		assertThat(this.server.host()).isEqualTo("127.0.0.1");
		assertThat(this.server.call("SET", "clé", "a b\n\"c\"")).isEqualTo("OK");
		assertThat(this.server.call("GET", "clé")).isEqualTo("a b\n\"c\"");
		assertThat(this.server.call("GET", "nothing")).isEqualTo("(nil)");
	}

	@Test
	void startAppliesSettings() {
		try (RedisTestServer small = RedisServers.start("maxmemory 3mb", "maxmemory-policy noeviction")) {
			assertThat(small.port()).isNotEqualTo(this.server.port());
			assertThat(small.call("CONFIG", "GET", "maxmemory")).isEqualTo("maxmemory\n3145728");
		}
	}

	@Test
	void startWithWrongSettingsShowsWhatTheServerSays() {
		assertThatIllegalStateException()
			.isThrownBy(() -> ProcessRedisServer.start(ProcessRedisServer.embedded(), List.of("no-such-setting 1")))
			.withMessageContaining("no-such-setting");
	}

	@Test
	void callReportsAnErrorOfTheServer() {
		assertThatIllegalStateException().isThrownBy(() -> this.server.call("NOSUCHCOMMAND"))
			.withMessageContaining("unknown command");
	}

	@Test
	void killedServerAnswersNobodyAndComesBackEmptyOnTheSamePort() {
		int port = this.server.port();
		this.server.call("SET", "key", "value");
		this.server.kill();
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> this.server.call("PING"));
		this.server.restart();
		assertThat(this.server.port()).isEqualTo(port);
		assertThat(this.server.call("GET", "key")).isEqualTo("(nil)");
	}

	@Test
	void restartKeepsWhatWasWrittenToDisk() {
		try (RedisTestServer durable = RedisServers.start("appendonly yes", "appendfsync always")) {
			durable.call("SET", "key", "value");
			durable.restart();
			assertThat(durable.call("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void pausedServerIsSilentUntilResumed() throws IOException {
		this.server.pause();
		try (RespConnection connection = new RespConnection(this.server.host(), this.server.port(), 500)) {
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> connection.call("PING"));
			this.server.resume();
			assertThat(connection.readReply()).isEqualTo("PONG");
		}
	}

	@Test
	void closeEndsTheServerAndMayBeRepeated() {
		this.server.close();
		this.server.close();
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> this.server.call("PING"));
	}

	@Test
	void sharedGivesOneServerThatNobodyMayTakeAway() {
		RedisTestServer shared = RedisServers.shared();
		assertThat(RedisServers.shared()).isSameAs(shared);
		assertThat(shared.call("PING")).isEqualTo("PONG");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(shared::close);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(shared::kill);
	}

	/**
	 * Other systems have no parent-death signal.
	 */
	@Test
	@EnabledOnOs(OS.LINUX)
	void serverEndsWithAKilledJvm(@TempDir Path directory) throws IOException {
		Path report = directory.resolve("report");
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), RedisServerStarter.class.getName(), report.toString())
			.redirectErrorStream(true)
			.redirectOutput(directory.resolve("output").toFile())
			.start();
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(report) || !jvm.isAlive());
			assertThat(report).as(Files.readString(directory.resolve("output"))).exists();
			long pid = Long.parseLong(Files.readString(report));
			assertThat(isAlive(pid)).isTrue();
			jvm.destroyForcibly();
			await().atMost(Duration.ofSeconds(5)).until(() -> !isAlive(pid));
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	/**
	 * A killed server that is not reaped yet still counts as a process, but has no
	 * command.
	 */
	private static boolean isAlive(long pid) {
		Optional<ProcessHandle> handle = ProcessHandle.of(pid);
		return handle.isPresent() && handle.get().info().command().isPresent();
	}

}
