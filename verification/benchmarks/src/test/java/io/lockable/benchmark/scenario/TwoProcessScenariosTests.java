package io.lockable.benchmark.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

import io.lockable.benchmark.measure.HandOffs;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.TryingPeer;
import io.lockable.harness.peer.Peer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TwoProcessScenariosTests {

	private static final Pace PACE = new Pace(Duration.ofMillis(30), Duration.ofMillis(100), Duration.ZERO);

	@TempDir
	private Path folder;

	@Test
	void burstsAlternateStrictly() throws Exception {
		AlternatingScenario scenario = new AlternatingScenario(10);
		List<Outcome> outcomes = work(scenario);
		long first = times(outcomes.get(0), "burst");
		assertThat(first).isPositive();
		assertThat(times(outcomes.get(1), "burst")).isBetween(first - 1, first);
		assertThat(outcomes.get(0).acquisitions()).isEqualTo(10 * first);
		assertThatAllWereCounted(scenario, outcomes);
	}

	@Test
	void pollsAndFreeLocksAreTimed() throws Exception {
		PollingScenario scenario = new PollingScenario();
		List<Outcome> outcomes = work(scenario);
		assertThat(outcomes.get(0).acquisitions()).isPositive();
		assertThat(times(outcomes.get(1), "won")).isPositive();
		assertThat(times(outcomes.get(1), "free")).isPositive();
		assertThatAllWereCounted(scenario, outcomes);
	}

	private List<Outcome> work(Scenario scenario) throws Exception {
		Peer peer = new LocalPeer();
		CyclicBarrier barrier = new CyclicBarrier(scenario.processes());
		ExecutorService executor = Executors.newFixedThreadPool(scenario.processes());
		try {
			List<Callable<Outcome>> workers = new ArrayList<>();
			for (int process = 0; process < scenario.processes(); process++) {
				Site site = new Site(process, List.of(peer), "none:1", PACE, witness(scenario), (mark) -> {
					await(barrier);
					return System.nanoTime();
				});
				workers.add(() -> scenario.work(site));
			}
			List<Outcome> outcomes = new ArrayList<>();
			for (Future<Outcome> future : executor.invokeAll(workers)) {
				outcomes.add(future.get());
			}
			return outcomes;
		}
		finally {
			executor.shutdownNow();
		}
	}

	private Witness witness(Scenario scenario) {
		return Witness.map(this.folder.resolve("witness"), scenario.slots());
	}

	private void assertThatAllWereCounted(Scenario scenario, List<Outcome> outcomes) {
		assertThat(outcomes).allSatisfy((outcome) -> assertThat(outcome.overlaps()).isZero());
		assertThat(witness(scenario).acquisitions()).isEqualTo(outcomes.stream().mapToLong(Outcome::everCounted).sum());
	}

	private static long times(Outcome outcome, String what) {
		HandOffs times = outcome.times().get(what);
		return (times != null) ? HandOffs.join(List.of(times).stream()).getTotalCount() : 0;
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class LocalPeer implements TryingPeer {

		private final ReentrantLock polled = new ReentrantLock();

		private final ReentrantLock free = new ReentrantLock();

		@Override
		public Held lock(String key) {
			this.polled.lock();
			return held(this.polled);
		}

		@Override
		public @Nullable Held tryLock(String key, boolean retained) {
			ReentrantLock lock = retained ? this.polled : this.free;
			return lock.tryLock() ? held(lock) : null;
		}

		private static Held held(ReentrantLock lock) {
			return () -> {
				lock.unlock();
				return true;
			};
		}

		@Override
		public void close() {
		}

	}

}
