package io.lockable.test.redis;

import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for {@link CommandLog}.
 */
class CommandLogIntegrationTests {

	private static final String SCRIPT = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('PUBLISH', 'news', KEYS[1])";

	private final RedisTestServer server = RedisServers.start();

	@AfterEach
	void closeServer() {
		this.server.close();
	}

	@Test
	void readGivesClientsCommandsInOrder() {
		try (CommandLog log = CommandLog.start(this.server)) {
			this.server.call("set", "key", "a] \"b\"\r\n[0 lua] \"GET\"");
			this.server.call("PUBLISH", "news", "x");
			assertThat(log.read()).containsExactly("SET", "PUBLISH");
		}
	}

	@Test
	void readOmitsWhatAScriptCallsAlthoughTheServerCountsIt() {
		this.server.call("CONFIG", "RESETSTAT");
		try (CommandLog log = CommandLog.start(this.server)) {
			this.server.call("EVAL", SCRIPT, "1", "key", "value");
			assertThat(log.read()).containsExactly("EVAL");
		}
		assertThat(commandstats()).contains(entry("eval", 1), entry("set", 1), entry("publish", 1));
	}

	@Test
	void readGivesOnlyWhatIsNew() {
		this.server.call("GET", "before");
		try (CommandLog log = CommandLog.start(this.server)) {
			assertThat(log.read()).isEmpty();
			this.server.call("GET", "key");
			assertThat(log.read()).containsExactly("GET");
			assertThat(log.read()).isEmpty();
		}
	}

	private Map<String, Integer> commandstats() {
		return this.server.call("INFO", "commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_"))
			.map((line) -> line.substring("cmdstat_".length()).split(":calls=|,"))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> Integer.valueOf(parts[1])));
	}

}
