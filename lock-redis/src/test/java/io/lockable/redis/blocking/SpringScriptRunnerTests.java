package io.lockable.redis.blocking;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.LockScripts;
import io.lockable.redis.script.ScriptArguments;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link SpringScriptRunner} over an exhausted pool.
 */
class SpringScriptRunnerTests {

	private final Semaphore pool = new Semaphore(0);

	private final RedisConnectionFactory connections = mock();

	private final SpringScriptRunner runner = new SpringScriptRunner(this.connections, true);

	private final List<Thread> threads = new ArrayList<>();

	@BeforeEach
	void connect() {
		RedisConnection connection = mock();
		RedisScriptingCommands scripts = mock();
		given(connection.scriptingCommands()).willReturn(scripts);
		given(scripts.evalSha(anyString(), any(), anyInt(), any(byte[][].class))).willReturn(1L);
		given(this.connections.getConnection()).willAnswer((call) -> {
			try {
				this.pool.acquire();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Could not get a resource from the pool", ex);
			}
			return connection;
		});
	}

	@AfterEach
	void join() throws InterruptedException {
		this.pool.release(100);
		for (Thread thread : this.threads) {
			thread.join(TimeUnit.SECONDS.toMillis(20));
			assertThat(thread.isAlive()).isFalse();
		}
	}

	@Test
	void interruptionOfAThreadThatWaitsForAConnectionIsKept() {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread thread = start(() -> {
			assertThat(acquire().toCompletableFuture()).isCompletedExceptionally();
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		waitsForAConnection(thread);
		thread.interrupt();
		await().until(interrupted::isDone);
		assertThat(interrupted).isCompletedWithValue(true);
	}

	@Test
	void interruptionOfAThreadThatWaitsForAConnectionFailsNobodyElse() {
		for (int i = 0; i < FlatCombiner.COMBINERS; i++) {
			waitsForAConnection(start(this::acquire));
		}
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		CompletableFuture<Long> first = new CompletableFuture<>();
		CompletableFuture<Long> second = new CompletableFuture<>();
		Thread leader = start(() -> {
			acquire().thenAccept(first::complete);
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		await().until(() -> leader.getState() == Thread.State.TIMED_WAITING);
		Thread other = start(() -> acquire().thenAccept(second::complete));
		await().until(() -> other.getState() == Thread.State.TIMED_WAITING);
		this.pool.release();
		waitsForAConnection(leader);
		leader.interrupt();
		this.pool.release(100);
		await().until(interrupted::isDone);
		assertThat(interrupted).isCompletedWithValue(true);
		assertThat(first).isCompletedWithValue(1L);
		await().until(second::isDone);
		assertThat(second).isCompletedWithValue(1L);
	}

	private CompletionStage<Long> acquire() {
		return this.runner.run(LockScripts.ACQUIRE, LockKeys.ofFree("a"),
				new byte[][] { ScriptArguments.bytes("owner"), ScriptArguments.bytes("1000") },
				(answer) -> answer.get(0));
	}

	private Thread start(Runnable work) {
		Thread thread = new Thread(work);
		this.threads.add(thread);
		thread.start();
		return thread;
	}

	private static void waitsForAConnection(Thread thread) {
		await().until(() -> thread.getState() == Thread.State.WAITING);
	}

}
