package io.lockable.simulation.redis;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SimulatedRedis}.
 */
class SimulatedRedisTests {

	private long micros = 1_700_000_000_123_456L;

	private final SimulatedRedis redis = new SimulatedRedis(() -> this.micros);

	@Test
	void luaWritesFourteenDigitsAndCommandsWriteSeventeen() {
		Reply answer = eval(
				"local n = 1700000000123456 redis.call('SET', 'k', n) return {n .. '', redis.call('GET', 'k'),"
						+ "string.format('%.0f', n)}");
		assertThat(answer).isEqualTo(new Reply.Array(
				List.of(Reply.of("1.7000000001235e+15"), Reply.of("1700000000123456"), Reply.of("1700000000123456"))));
	}

	@Test
	void keyExpiresAfterItsLastMillisecond() {
		call("SET", "k", "v", "PX", "10");
		this.micros += 10_000;
		assertThat(call("PTTL", "k")).isEqualTo(Reply.of(0));
		this.micros += 1_000;
		assertThat(call("PTTL", "k")).isEqualTo(Reply.of(-2));
	}

	@Test
	void errorOfACommandFailsTheScriptUnlessItIsProtected() {
		call("RPUSH", "k", "v");
		assertThat(eval("return type(redis.pcall('GET', 'k'))")).isEqualTo(Reply.of("table"));
		assertThatExceptionOfType(RedisError.class).isThrownBy(() -> eval("return redis.call('GET', 'k')"))
			.withMessageStartingWith("WRONGTYPE");
	}

	private Reply call(String... words) {
		return this.redis.execute(List.of(words));
	}

	private Reply eval(String source) {
		return call("EVAL", source, "0");
	}

}
