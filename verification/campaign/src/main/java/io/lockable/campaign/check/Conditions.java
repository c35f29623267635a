package io.lockable.campaign.check;

import java.util.List;
import java.util.function.ToLongFunction;

import io.lockable.campaign.history.Pause;

/**
 * The conditions of a round that the rules consider.
 *
 * @param permits the number of permits of a semaphore
 * @param end the time at which the workers were stopped
 * @param delay the longest permitted delay of the end of an attempt after its wait, in
 * nanoseconds
 * @param idle the longest permitted time that a lock is free despite a waiter, in
 * nanoseconds, by key
 * @param recall the time that a try waits for an instance that may retain the lock, in
 * nanoseconds, by key; 0 without retention
 * @param hiccup the longest pause of the machine itself, in nanoseconds
 * @param episodes the faults
 * @param voided the times at which locks were taken from their holders
 * @param leftovers the locks that were found after the end
 * @param pauses the pauses of the workers
 */
public record Conditions(int permits, long end, long delay, ToLongFunction<String> idle, ToLongFunction<String> recall,
		long hiccup, List<Episode> episodes, List<Voided> voided, List<Leftover> leftovers, List<Pause> pauses) {

	/**
	 * A hand-off involves two threads on either side and the server, and each of them may
	 * be late.
	 */
	private static final int THREADS = 6;

	/**
	 * Returns the time that the machine may have added to a bound.
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
