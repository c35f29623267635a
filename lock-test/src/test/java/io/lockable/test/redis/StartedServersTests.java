package io.lockable.test.redis;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StartedServers}.
 */
class StartedServersTests {

	@Test
	void versionOfRedisIsItsOwn() {
		assertThat(StartedServers.version("# Server\r\nredis_version:6.2.11\r\nredis_mode:standalone\r\n"))
			.isEqualTo("Redis 6.2.11");
	}

	@Test
	void versionOfValkeyIsNotThatOfTheCompatibleRedis() {
		assertThat(StartedServers
			.version("# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\n"))
			.isEqualTo("Valkey 9.1.2");
	}

	@Test
	void versionOfAnotherServerIsUnknown() {
		assertThat(StartedServers.version("# Server\r\nprocess_id:1\r\n")).isEqualTo("unknown server");
	}

}
