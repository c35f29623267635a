package io.lockable.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptArguments;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPipelineException;
import org.springframework.data.redis.connection.RedisScriptingCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link SpringScriptRunner}.
 */
class SpringScriptRunnerTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final SystemRuntime runtime = new SystemRuntime();

	private final CountDownLatch free = new CountDownLatch(1);

	private final AtomicInteger asked = new AtomicInteger();

	private final RedisConnection connection = mock();

	private final RedisConnectionFactory connections = mock();

	private final SpringScriptRunner runner = new SpringScriptRunner(this.connections, true, "test", 2, this.runtime);

	@BeforeEach
	void connect() {
		RedisScriptingCommands scripts = mock();
		given(this.connection.scriptingCommands()).willReturn(scripts);
		given(scripts.evalSha(anyString(), any(), anyInt(), any(byte[][].class))).willReturn(1L);
		given(this.connections.getConnection()).willAnswer((call) -> {
			this.asked.incrementAndGet();
			this.free.await();
			return this.connection;
		});
	}

	@AfterEach
	void close() {
		this.free.countDown();
		this.runner.close();
		this.runtime.close();
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

	@Test
	void scriptsThatWaitForAThreadAreSentTogether() {
		List<CompletableFuture<Long>> first = occupyThreads();
		given(this.connection.closePipeline()).willThrow(new RedisPipelineException((Exception) null,
				List.of(1L, new RedisSystemException("NOSCRIPT No matching script", null),
						new RedisSystemException("READONLY You can't write", null))));
		List<CompletableFuture<Long>> waiting = Stream.generate(this::acquire).limit(3).toList();
		this.free.countDown();
		assertThat(first).allSatisfy((answer) -> assertThat(answer).succeedsWithin(SOON));
		assertThat(waiting.get(0)).succeedsWithin(SOON).isEqualTo(1L);
		assertThat(waiting.get(1)).as("sent again").succeedsWithin(SOON).isEqualTo(1L);
		assertThat(waiting.get(2)).failsWithin(SOON).withThrowableThat().withMessageContaining("READONLY");
		then(this.connection).should().openPipeline();
	}

	@Test
	void failedPipelineFailsEachOfItsScripts() {
		List<CompletableFuture<Long>> first = occupyThreads();
		given(this.connection.closePipeline()).willThrow(new RedisSystemException("Connection lost", null));
		List<CompletableFuture<Long>> waiting = Stream.generate(this::acquire).limit(3).toList();
		this.free.countDown();
		assertThat(first).allSatisfy((answer) -> assertThat(answer).succeedsWithin(SOON));
		assertThat(waiting).allSatisfy((answer) -> assertThat(answer).failsWithin(SOON));
	}

	@Test
	void closedRunnerFailsNewScripts() {
		this.runner.close();
		assertThat(acquire()).failsWithin(SOON).withThrowableThat().withMessageContaining("closed");
	}

	private List<CompletableFuture<Long>> occupyThreads() {
		CompletableFuture<Long> first = acquire();
		await().untilAtomic(this.asked, equalTo(1));
		CompletableFuture<Long> second = acquire();
		await().untilAtomic(this.asked, equalTo(2));
		return List.of(first, second);
	}

	private CompletableFuture<Long> acquire() {
		return this.runner
			.run(LuaScript.ofInteger("acquire"), ScriptArguments.bytes("a", "{a}:fence"),
					new byte[][] { ScriptArguments.bytes("owner"), ScriptArguments.bytes("1000") },
					(answer) -> answer.get(0))
			.toCompletableFuture();
	}

}
