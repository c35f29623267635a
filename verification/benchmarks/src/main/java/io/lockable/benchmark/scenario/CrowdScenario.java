package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.measure.Witness;
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

	private static final String DRAIN_MILLIS = "drainMillis";

	private static final int CROWD = 0;

	private static final int WARMUP = 1;

	private static final int WARMUP_THREADS = 8;

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
	public Duration expectedTime(Pace pace) {
		return pace.warmup().plus(HOLD).plusSeconds(2);
	}

	@Override
	public Outcome work(Site site) throws Exception {
		List<Tally> warmup;
		try (Loop loop = new Loop(site, WARMUP_THREADS, slots(), (thread) -> WARMUP, Section.EMPTY)) {
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

	private Outcome holdAndDrain(Site site, ExecutorService executor, List<Tally> warmup)
			throws InterruptedException, ExecutionException {
		Held held = site.peer().lock(Site.key(CROWD));
		long heldAt = System.nanoTime();
		site.signals().reached(HELD);
		long cpu = Outcome.processCpuNanos();
		CountDownLatch started = new CountDownLatch(this.waiters);
		List<Future<Tally>> futures = new ArrayList<>();
		for (int waiter = 0; waiter < this.waiters; waiter++) {
			long holder = Witness.holder(site.process(), waiter);
			futures.add(executor.submit(() -> waitAndPass(site, holder, heldAt, started)));
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
		return Outcome.of(tallies, warmup, cpu, Map.of(DRAIN_MILLIS, drainMillis));
	}

	private static Tally waitAndPass(Site site, long holder, long since, CountDownLatch started)
			throws InterruptedException {
		Tally tally = new Tally(since);
		started.countDown();
		Held held = site.peer().lock(Site.key(CROWD));
		site.witness().enter(CROWD, holder, tally);
		site.witness().exit(CROWD, holder, tally);
		held.unlock();
		return tally;
	}

	@Override
	public Measurement evaluate(Course course) {
		Outcome outcome = course.outcomes().get(0);
		ServerFigures server = course.between(HELD, DRAINED);
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.WAIT_COMMANDS, course.commandsBetween(HELD, WAITED));
		values.put(Metric.DRAIN, outcome.extras().get(DRAIN_MILLIS));
		values.put(Metric.DRAIN_COMMANDS, course.commandsBetween(WAITED, DRAINED) / this.waiters);
		values.put(Metric.CLIENT_CPU, (double) outcome.cpuNanos() / outcome.acquisitions() / 1e3);
		values.put(Metric.SERVER_CPU, server.cpuSeconds() / outcome.acquisitions() * 1e6);
		values.put(Metric.CONNECTIONS, (double) server.connections());
		values.put(Metric.VIOLATIONS, course.violations());
		return new Measurement(values);
	}

}
