package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.measure.Witness;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Peer.Held;

/**
 * The environment of a worker.
 *
 * @param process the number of the worker, from 0
 * @param peers the instances of the peer in this JVM, at least one
 * @param server the server, as host:port
 * @param pace the durations of the phases
 * @param witness checks that the lock excludes
 * @param signals synchronizes the phases
 */
public record Site(int process, List<Peer> peers, String server, Pace pace, Witness witness, Signals signals) {

	Peer peer() {
		return this.peers.get(0);
	}

	/**
	 * Waits until a moment, with an error of about 60 µs.
	 * @param time the moment, on the monotonic clock
	 */
	static void awaitTime(long time) {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	static void await(Duration duration) {
		awaitTime(System.nanoTime() + duration.toNanos());
	}

	static String key(int slot) {
		return "benchmark:" + slot;
	}

	/**
	 * Enters and leaves a lock, and releases it.
	 * @param held the lock
	 * @param slot its place in the witness
	 * @param thread the number of the thread
	 * @param tally the record of the thread
	 */
	void use(Held held, int slot, int thread, Tally tally) {
		long holder = Witness.holder(this.process, thread);
		this.witness.enter(slot, holder, tally);
		tally.inTime();
		this.witness.exit(slot, holder, tally);
		held.unlock();
	}

	/**
	 * Synchronizes the phases of all workers.
	 */
	@FunctionalInterface
	public interface Signals {

		/**
		 * Reports that this worker has reached a mark, and waits for the others.
		 * @param mark the mark
		 * @return the start of the next phase, on the monotonic clock
		 * @throws Exception if the benchmark has ended
		 */
		long reached(String mark) throws Exception;

	}

}
