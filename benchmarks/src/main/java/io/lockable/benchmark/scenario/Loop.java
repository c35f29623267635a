package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntUnaryOperator;

import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.Peer.Held;

/**
 * Threads that lock and unlock for a given time, first to warm up and then to be
 * measured.
 */
final class Loop implements AutoCloseable {

	static final String START = "start";

	static final String END = "end";

	private final Site site;

	private final int threads;

	private final IntUnaryOperator slotOfThread;

	private final Section section;

	private final String[] keys;

	private final ExecutorService executor;

	/**
	 * Makes the threads.
	 * @param site where the worker works
	 * @param threads how many threads
	 * @param slots how many locks there are
	 * @param slotOfThread which lock a thread takes next
	 * @param section what is done with the lock held
	 */
	Loop(Site site, int threads, int slots, IntUnaryOperator slotOfThread, Section section) {
		this.site = site;
		this.threads = threads;
		this.slotOfThread = slotOfThread;
		this.section = section;
		this.keys = new String[slots];
		for (int slot = 0; slot < slots; slot++) {
			this.keys[slot] = Site.key(slot);
		}
		this.executor = Executors.newFixedThreadPool(threads);
	}

	Outcome measure() throws InterruptedException, ExecutionException {
		List<Tally> warmup = run(System.nanoTime(), this.site.pace().warmup());
		long start = this.site.signals().reached(START);
		long cpu = Outcome.processCpuNanos();
		List<Tally> measured = run(start, this.site.pace().measured());
		cpu = Outcome.processCpuNanos() - cpu;
		this.site.signals().reached(END);
		return Outcome.of(measured, warmup, cpu, Map.of());
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
		long holder = Witness.holder(this.site.process(), thread);
		Site.awaitTime(start);
		while (System.nanoTime() - end < 0) {
			int slot = this.slotOfThread.applyAsInt(thread);
			Held held = this.site.peer().lock(this.keys[slot]);
			this.site.witness().enter(slot, holder, tally);
			if (System.nanoTime() - end < 0) {
				tally.inTime();
			}
			this.section.run();
			this.site.witness().exit(slot, holder, tally);
			held.unlock();
		}
		return tally;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
