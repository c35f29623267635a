package io.lockable.redis.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptCall;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerThreads}.
 */
class ServerThreadsTests {

	private final SystemRuntime runtime = new SystemRuntime();

	private final CountDownLatch hanging = new CountDownLatch(1);

	private final ServerThreads<String> threads = new ServerThreads<>("test", ServerThreads.DEFAULT_THREADS, 2,
			this::send, this.runtime);

	private final List<Integer> sizes = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.hanging.countDown();
		this.threads.close();
		this.runtime.close();
	}

	@Test
	void serverThatHangsKeepsOnlyItsOwnThreads() {
		List<CompletableFuture<Long>> hanging = IntStream.range(0, 4 * ServerThreads.DEFAULT_THREADS)
			.mapToObj((i) -> run("hangs"))
			.toList();
		assertThat(run("answers")).succeedsWithin(10, TimeUnit.SECONDS);
		assertThat(hanging).noneMatch(CompletableFuture::isDone);
		this.hanging.countDown();
		assertThat(hanging).allSatisfy((call) -> assertThat(call).succeedsWithin(10, TimeUnit.SECONDS));
		assertThat(this.sizes).contains(2).allMatch((size) -> size <= 2);
	}

	@Test
	void errorFailsAllCalls() {
		assertThat(run("fails")).failsWithin(10, TimeUnit.SECONDS)
			.withThrowableThat()
			.withRootCauseInstanceOf(NoClassDefFoundError.class);
	}

	@Test
	void refusedThreadFailsTheCall() {
		this.runtime.close();
		assertThat(run("new")).failsWithin(10, TimeUnit.SECONDS).withThrowableThat().withMessageContaining("No thread");
	}

	@Test
	void noCallIsForgotten() {
		for (int i = 0; i < 20_000; i++) {
			List<CompletableFuture<Long>> calls = IntStream.range(0, 3).mapToObj((each) -> run("answers")).toList();
			assertThat(calls).allSatisfy((call) -> assertThat(call).succeedsWithin(10, TimeUnit.SECONDS));
		}
	}

	@Test
	void closedThreadsRunNothing() {
		this.threads.close();
		assertThat(run("new")).failsWithin(10, TimeUnit.SECONDS).withThrowableThat().withMessageContaining("closed");
	}

	private CompletableFuture<Long> run(String server) {
		ScriptCall<Long> call = new ScriptCall<>(LuaScript.ofInteger("acquire"), new byte[1][], new byte[0][],
				(answer) -> answer.get(0), new CompletableFuture<>());
		this.threads.run(server, call);
		return call.outcome();
	}

	private void send(String server, List<ScriptCall<?>> calls) {
		this.sizes.add(calls.size());
		if (server.equals("hangs")) {
			try {
				this.hanging.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
		if (server.equals("fails")) {
			throw new NoClassDefFoundError("client");
		}
		calls.forEach((call) -> call.complete(List.of(1L), true));
	}

}
