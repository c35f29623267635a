package io.lockable.test.redis;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StartedServers}.
 */
class StartedServersTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			Redis 6.2.11,   redis_version:6.2.11;redis_mode:standalone
			Valkey 9.1.2,   redis_version:7.2.4;server_name:valkey;valkey_version:9.1.2
			unknown server, process_id:1
			""")
	void versionIsThatOfTheServerItself(String version, String info) {
		assertThat(StartedServers.version("# Server\r\n" + info.replace(";", "\r\n") + "\r\n")).isEqualTo(version);
	}

}
