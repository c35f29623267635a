package io.lockable.campaign.check;

import java.util.List;
import java.util.function.ToLongFunction;

import io.lockable.campaign.history.Pause;

/**
 * What a round was like, as far as the rules need to know.
 *
 * @param permits how many permits a semaphore had
 * @param end when the workers were told to stop
 * @param delay by how much an attempt may end later than its wait, in nanoseconds
 * @param idle how long a lock may stay free beside a waiter, in nanoseconds, by its key
 * @param recall how long a try waits for an instance that may retain the lock, in
 * nanoseconds, by its key; 0 if none retains it
 * @param hiccup the longest pause of the machine itself, in nanoseconds
 * @param episodes the faults
 * @param voided when locks were taken away from their holders
 * @param leftovers locks that were found after the end
 * @param pauses when workers stood still
 */
public record Conditions(int permits, long end, long delay, ToLongFunction<String> idle, ToLongFunction<String> recall,
		long hiccup, List<Episode> episodes, List<Voided> voided, List<Leftover> leftovers, List<Pause> pauses) {

	/**
	 * A hand-off takes two threads on either side and the server, and each of them may be
	 * late.
	 */
	private static final int THREADS = 6;

	/**
	 * Returns what the machine may have taken of a promised time.
	 * @return nanoseconds
	 */
	long allowance() {
		return this.hiccup * THREADS;
	}

	long idle(String key) {
		return this.idle.applyAsLong(key);
	}

	long recall(String key) {
		return this.recall.applyAsLong(key);
	}

	long pauses(String worker, long start, long end) {
		return this.pauses.stream()
			.filter((pause) -> pause.worker().equals(worker))
			.mapToLong((pause) -> pause.within(start, end))
			.sum();
	}

	boolean isVoid(String key, long start, long end) {
		return this.voided.stream().anyMatch((each) -> each.covers(key, start, end));
	}

	boolean mayBeVoid(String key, long start, long end) {
		return this.voided.stream().anyMatch((each) -> each.touches(key, start, end));
	}

}
