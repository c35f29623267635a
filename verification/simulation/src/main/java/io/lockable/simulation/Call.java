package io.lockable.simulation;

import java.util.List;

/**
 * A call of a caller that has not ended.
 *
 * @param instance the instance
 * @param keys the locks that it waits for; none for a release or an extension
 * @param patient whether it waits for holders
 * @param calm whether the store had answered before, and no fault delays the instance
 * @param startedAt its start
 * @param limit the longest time that it may take without disturbance of the instance
 * @param disturbance the disturbance of the instance at the start
 * @param what describes it
 */
record Call(Instance instance, List<String> keys, boolean patient, boolean calm, long startedAt, long limit,
		long disturbance, String what) {

	/**
	 * Starts a call. Time counts from the end of earlier disturbances.
	 * @param now the time
	 */
	static Call of(Instance instance, List<String> keys, boolean patient, long now, long limit, String what) {
		return new Call(instance, keys, patient, instance.isOpen() && instance.disturbedUntil() < now,
				Math.max(now, instance.disturbedUntil()), limit, instance.disturbance(), what);
	}

	/**
	 * Returns whether the call should have ended. Delays by faults in the instance do not
	 * count.
	 * @param now the time
	 * @return whether it is late
	 */
	boolean isLate(long now) {
		return now - this.startedAt > this.limit + delay();
	}

	/**
	 * Returns the delay by faults in the instance.
	 * @return the time
	 */
	long delay() {
		return this.instance.disturbance() - this.disturbance;
	}

	@Override
	public boolean equals(Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return Long.hashCode(this.startedAt);
	}

}
