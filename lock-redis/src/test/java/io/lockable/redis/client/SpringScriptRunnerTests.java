package io.lockable.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.redis.script.LuaScript;
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
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link SpringScriptRunner}.
 */
class SpringScriptRunnerTests {

	private final Semaphore pool = new Semaphore(0);

	private final RedisConnectionFactory connections = mock();

	private final SpringScriptRunner runner = new SpringScriptRunner(this.connections, true, 2, null, mock());

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
	void commandsInFlightAreBounded() {
		for (int i = 0; i < 2; i++) {
			waitsForAConnection(start(this::acquire));
		}
		CompletableFuture<Long> third = new CompletableFuture<>();
		Thread waiting = start(() -> acquire().thenAccept(third::complete));
		await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		this.pool.release();
		await().until(() -> this.threads.stream().filter(Thread::isAlive).count() == 2);
		waitsForAConnection(waiting);
		this.pool.release(2);
		await().until(third::isDone);
		assertThat(third).isCompletedWithValue(1L);
	}

	@Test
	void callThatFindsNoPlaceFailsWithoutAConnection() {
		for (int i = 0; i < 2; i++) {
			waitsForAConnection(start(this::acquire));
		}
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		start(() -> acquire().whenComplete((answer, ex) -> failure.complete(ex)));
		await().until(failure::isDone);
		assertThat(failure.join()).isInstanceOf(LockStoreException.class).hasMessageContaining("too many commands");
		then(this.connections).should(times(2)).getConnection();
	}

	@Test
	void interruptIsDeferredWhileAThreadWaitsForItsTurn() {
		for (int i = 0; i < 2; i++) {
			waitsForAConnection(start(this::acquire));
		}
		CompletableFuture<Long> answer = new CompletableFuture<>();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread thread = start(() -> {
			acquire().thenAccept(answer::complete);
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		thread.interrupt();
		this.pool.release(3);
		await().until(interrupted::isDone);
		assertThat(interrupted).isCompletedWithValue(true);
		assertThat(answer).isCompletedWithValue(1L);
	}

	@Test
	void errorFailsTheCallAndFreesItsPlace() {
		willThrow(new NoClassDefFoundError("gone")).given(this.connections).getConnection();
		for (int i = 0; i < 3; i++) {
			assertThat(acquire().toCompletableFuture()).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withRootCauseInstanceOf(NoClassDefFoundError.class);
		}
	}

	@Test
	void threadsOfTheServerWaitInsteadOfTheCaller() {
		SpringScriptRunner threaded = new SpringScriptRunner(this.connections, true, 2, "test", mock());
		try {
			CompletableFuture<Long> answer = acquire(threaded).toCompletableFuture();
			assertThat(answer).isNotDone();
			this.pool.release();
			assertThat(answer).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(1L);
		}
		finally {
			threaded.close();
		}
	}

	private CompletionStage<Long> acquire() {
		return acquire(this.runner);
	}

	private static CompletionStage<Long> acquire(SpringScriptRunner runner) {
		return runner.run(LuaScript.ofInteger("acquire"), ScriptArguments.bytes("a", "{a}:fence"),
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
