package io.lockable.engine.runtime;

import java.util.ArrayList;
import java.util.List;

import io.lockable.engine.runtime.EngineRuntime.Work;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

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
		}
	}

	@Test
	void taskRunsOnTheCallingThreadAfterTheEnd() {
		SystemRuntime runtime = new SystemRuntime();
		runtime.close();
		assertRunsHere(runtime);
	}

	private static void assertRunsHere(SystemRuntime runtime) {
		List<Thread> threads = new ArrayList<>();
		for (Work work : Work.values()) {
			runtime.execute(work, () -> threads.add(Thread.currentThread()));
		}
		assertThat(threads).hasSize(Work.values().length).containsOnly(Thread.currentThread());
	}

}
