package io.lockable.engine.time;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Workers}.
 */
class WorkersTests {

	@Test
	void taskRunsOnTheCallingThreadIfNoThreadCanBeCreated() {
		Workers workers = new Workers((name) -> (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		List<Thread> threads = new ArrayList<>();
		workers.execute(() -> threads.add(Thread.currentThread()));
		workers.renew(() -> threads.add(Thread.currentThread()));
		workers.callBack(() -> threads.add(Thread.currentThread()));
		assertThat(threads).hasSize(3).containsOnly(Thread.currentThread());
		workers.close();
	}

}
