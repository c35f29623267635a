package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.RedisAddress;
import io.lockable.harness.peer.Peer;

/**
 * The environment of a worker.
 *
 * @param process the number of the worker, from 0
 * @param peer the lock
 * @param redis the server
 * @param pace the durations of the phases
 * @param witness checks that the lock excludes
 * @param signals synchronizes the phases
 */
public record Site(int process, Peer peer, RedisAddress redis, Pace pace, Witness witness, Signals signals) {

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

}
