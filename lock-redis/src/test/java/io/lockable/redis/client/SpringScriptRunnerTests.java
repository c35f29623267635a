package io.lockable.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptArguments;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link SpringScriptRunner}.
 */
class SpringScriptRunnerTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final CountDownLatch free = new CountDownLatch(1);

	private final RedisConnectionFactory connections = mock();

	private final SpringScriptRunner runner = new SpringScriptRunner(this.connections, true,
			new ServerThreads("test", 2), mock());

	@BeforeEach
	void connect() {
		RedisConnection connection = mock();
		RedisScriptingCommands scripts = mock();
		given(connection.scriptingCommands()).willReturn(scripts);
		given(scripts.evalSha(anyString(), any(), anyInt(), any(byte[][].class))).willReturn(1L);
		given(this.connections.getConnection()).willAnswer((call) -> {
			this.free.await();
			return connection;
		});
	}

	@AfterEach
	void close() {
		this.free.countDown();
		this.runner.close();
	}

	@Test
	void threadsOfTheServerWaitInsteadOfTheCaller() {
		CompletableFuture<Long> answer = acquire();
		assertThat(answer).isNotDone();
		this.free.countDown();
		assertThat(answer).succeedsWithin(SOON).isEqualTo(1L);
	}

	@Test
	void errorFailsTheCallAndLeavesTheThreads() {
		willThrow(new NoClassDefFoundError("gone")).given(this.connections).getConnection();
		for (int i = 0; i < 3; i++) {
			assertThat(acquire()).failsWithin(SOON)
				.withThrowableThat()
				.withRootCauseInstanceOf(NoClassDefFoundError.class);
		}
	}

	private CompletableFuture<Long> acquire() {
		return this.runner
			.run(LuaScript.ofInteger("acquire"), ScriptArguments.bytes("a", "{a}:fence"),
					new byte[][] { ScriptArguments.bytes("owner"), ScriptArguments.bytes("1000") },
					(answer) -> answer.get(0))
			.toCompletableFuture();
	}

}
