package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.measure.Witness;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Peer.Held;

/**
 * Threads that lock and unlock for a given time, first as warm-up and then measured.
 */
final class Loop implements AutoCloseable {

	static final String START = "start";

	static final String END = "end";

	private final Site site;

	private final LoopScenario scenario;

	private final int threads;

	private final ExecutorService executor;

	/**
	 * Creates the threads.
	 * @param site the worker's environment
	 * @param scenario the keys and the critical section
	 * @param threads the number of threads
	 */
	Loop(Site site, LoopScenario scenario, int threads) {
		this.site = site;
		this.scenario = scenario;
		this.threads = threads;
		this.executor = Executors.newFixedThreadPool(threads);
	}

	/**
	 * Measures.
	 * @param site the worker's environment
	 * @param warmup the tallies of the warm-up
	 * @param phase the measured phase
	 * @return the measured outcome
	 * @throws Exception if the phase failed
	 */
	static Outcome measure(Site site, List<Tally> warmup, Phase phase) throws Exception {
		long start = site.signals().reached(START);
		long cpu = Outcome.processCpuNanos();
		List<Tally> measured = phase.run(start, site.pace().measured());
		cpu = Outcome.processCpuNanos() - cpu;
		site.signals().reached(END);
		return Tally.sum(measured, warmup, cpu, Map.of());
	}

	List<Tally> run(long start, Duration time) throws InterruptedException, ExecutionException {
		List<Callable<Tally>> tasks = new ArrayList<>();
		for (int thread = 0; thread < this.threads; thread++) {
			int number = thread;
			tasks.add(() -> lockAndUnlock(number, start, start + time.toNanos()));
		}
		List<Tally> tallies = new ArrayList<>();
		for (Future<Tally> future : this.executor.invokeAll(tasks)) {
			tallies.add(future.get());
		}
		return tallies;
	}

	private Tally lockAndUnlock(int thread, long start, long end) throws InterruptedException {
		Tally tally = new Tally(start);
		int instances = this.scenario.instances();
		int instance = thread % instances;
		Peer peer = this.site.peers().get(instance);
		int parts = (instances > 1) ? 1 : this.scenario.processes() * this.scenario.threads();
		int part = this.scenario.slots() / parts;
		int first = (instances > 1) ? 0 : (this.site.process() * this.scenario.threads() + thread) * part;
		String[] keys = new String[Math.max(1, part)];
		Arrays.setAll(keys, (index) -> Site.key(first + index));
		long holder = Witness.holder(this.site.process() * instances + instance, thread);
		Site.awaitTime(start);
		for (long now = System.nanoTime(); now - end < 0;) {
			int index = ThreadLocalRandom.current().nextInt(keys.length);
			long requested = System.nanoTime();
			Held held = peer.lock(keys[index]);
			now = this.site.witness().enter(first + index, holder, tally);
			if (now - end < 0) {
				tally.inTime();
			}
			if (this.scenario.isContended()) {
				tally.took(Tally.WAIT, now - requested);
			}
			if (!this.scenario.section().isZero()) {
				Site.await(this.scenario.section());
			}
			now = this.site.witness().exit(first + index, holder, tally);
			held.unlock();
		}
		return tally;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	/**
	 * The work of a worker for a given time.
	 */
	@FunctionalInterface
	interface Phase {

		/**
		 * Runs the phase.
		 * @param start its start, on the monotonic clock
		 * @param time its duration
		 * @return the record of each thread
		 * @throws Exception if it failed
		 */
		List<Tally> run(long start, Duration time) throws Exception;

	}

}
