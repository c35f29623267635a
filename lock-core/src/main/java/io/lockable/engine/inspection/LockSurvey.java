package io.lockable.engine.inspection;

import java.util.List;

/**
 * The locks and the waiting calls of all instances that answered.
 *
 * @param instances the instances, this one first
 * @param silent the number of instances that did not answer in time, as far as the store
 * reports it; always 0 on a Redis Cluster
 * @since 0.1.0
 */
public record LockSurvey(List<Instance> instances, long silent) {

	/**
	 * Copies the instances.
	 */
	public LockSurvey {
		instances = List.copyOf(instances);
	}

	/**
	 * An instance.
	 *
	 * @param name the {@linkplain io.lockable.engine.LockEngine.Builder#instance name} of
	 * the instance
	 * @param complete whether the lists are complete; each has at most 1,000 elements
	 * @param held the held locks, with shortened owner tokens
	 * @param waiting the waiting calls
	 */
	public record Instance(String name, boolean complete, List<LockInfo> held, List<LockWaiting> waiting) {

		/**
		 * Copies the lists.
		 */
		public Instance {
			held = List.copyOf(held);
			waiting = List.copyOf(waiting);
		}

	}

}
