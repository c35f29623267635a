package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.server.ServerFigures;
import io.lockable.harness.peer.Peer.Held;

/**
 * Many threads wait for a lock that is held for a while, then acquire it in turn.
 *
 * @param id the name
 * @param waiters the number of waiting threads
 */
record CrowdScenario(String id, int waiters) implements Scenario {

	private static final Duration HOLD = Duration.ofSeconds(5);

	private static final String HELD = "held";

	private static final String WAITED = "waited";

	private static final String DRAINED = "drained";

	private static final int CROWD = 1;

	private static final LoopScenario WARMUP = LoopScenario.contended("E-warmup", 1, 8, Duration.ZERO);

	@Override
	public String title() {
		return "%,d threads wait for a key held %d s, then all get it".formatted(this.waiters, HOLD.toSeconds());
	}

	@Override
	public int slots() {
		return 2;
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer.waits();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		List<Tally> warmup;
		try (Loop loop = new Loop(site, WARMUP, WARMUP.threads())) {
			warmup = loop.run(System.nanoTime(), site.pace().warmup());
		}
		ExecutorService executor = Executors.newFixedThreadPool(this.waiters);
		try {
			return holdAndDrain(site, executor, warmup);
		}
		finally {
			executor.shutdownNow();
		}
	}

	private Outcome holdAndDrain(Site site, ExecutorService executor, List<Tally> warmup) throws Exception {
		Held held = site.peer().lock(Site.key(CROWD));
		long heldAt = System.nanoTime();
		site.signals().reached(HELD);
		long cpu = Outcome.processCpuNanos();
		CountDownLatch started = new CountDownLatch(this.waiters);
		List<Future<Tally>> futures = new ArrayList<>();
		for (int waiter = 0; waiter < this.waiters; waiter++) {
			int thread = waiter;
			futures.add(executor.submit(() -> {
				Tally tally = new Tally(heldAt);
				started.countDown();
				site.use(site.peer().lock(Site.key(CROWD)), CROWD, thread, tally);
				return tally;
			}));
		}
		started.await();
		Site.awaitTime(heldAt + HOLD.toNanos());
		site.signals().reached(WAITED);
		long releasedAt = System.nanoTime();
		held.unlock();
		List<Tally> tallies = new ArrayList<>();
		for (Future<Tally> future : futures) {
			tallies.add(future.get());
		}
		double drainMillis = (System.nanoTime() - releasedAt) / 1e6;
		cpu = Outcome.processCpuNanos() - cpu;
		site.signals().reached(DRAINED);
		return Tally.sum(tallies, warmup, cpu, Map.of(Metric.DRAIN, drainMillis));
	}

	@Override
	public Map<Metric, Double> evaluate(Course course) {
		Outcome outcome = course.outcomes().get(0);
		ServerFigures server = course.between(HELD, DRAINED);
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.WAIT_COMMANDS, course.commandsBetween(HELD, WAITED));
		values.put(Metric.DRAIN, outcome.extras().get(Metric.DRAIN));
		values.put(Metric.DRAIN_COMMANDS, course.commandsBetween(WAITED, DRAINED) / this.waiters);
		values.put(Metric.CLIENT_CPU, (double) outcome.cpuNanos() / outcome.acquisitions() / 1e3);
		values.put(Metric.SERVER_CPU, server.cpuSeconds() / outcome.acquisitions() * 1e6);
		values.put(Metric.CONNECTIONS, (double) server.connections());
		values.put(Metric.VIOLATIONS, course.violations());
		return values;
	}

}
