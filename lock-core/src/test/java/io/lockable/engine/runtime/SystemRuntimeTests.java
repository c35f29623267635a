package io.lockable.engine.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import io.lockable.engine.runtime.EngineRuntime.Work;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SystemRuntime}.
 */
class SystemRuntimeTests {

	@Test
	void taskRunsOnTheCallingThreadIfNoThreadCanBeCreated() {
		try (SystemRuntime runtime = new SystemRuntime(System::nanoTime, (name) -> (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		})) {
			assertRunsHere(runtime);
			assertThatExceptionOfType(OutOfMemoryError.class)
				.isThrownBy(() -> runtime.executeBlocking("blocking", Assertions::fail));
		}
	}

	@Test
	void taskRunsOnTheCallingThreadAfterTheEnd() {
		SystemRuntime runtime = new SystemRuntime();
		runtime.close();
		assertRunsHere(runtime);
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> runtime.executeBlocking("blocking", Assertions::fail));
	}

	@Test
	void blockingTaskHasAThreadOfItsName() {
		try (SystemRuntime runtime = new SystemRuntime()) {
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			runtime.executeBlocking("blocking", () -> thread.complete(Thread.currentThread()));
			assertThat(thread).succeedsWithin(Duration.ofSeconds(10))
				.returns("blocking", Thread::getName)
				.returns(true, Thread::isDaemon);
		}
	}

	private static void assertRunsHere(SystemRuntime runtime) {
		List<Thread> threads = new ArrayList<>();
		for (Work work : Work.values()) {
			runtime.execute(work, () -> threads.add(Thread.currentThread()));
		}
		assertThat(threads).hasSize(Work.values().length).containsOnly(Thread.currentThread());
	}

}
