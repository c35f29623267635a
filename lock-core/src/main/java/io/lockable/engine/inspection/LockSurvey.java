package io.lockable.engine.inspection;

import java.util.List;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The locks and the waiting calls of all instances that answered.
 *
 * @param instances the instances, this one first
 * @param silent the number of instances that did not answer in time, as far as the store
 * reports it; always 0 on a Redis Cluster
 * @param failure the failure of the store because of which only this instance is listed,
 * or {@code null}
 * @since 0.1.0
 */
public record LockSurvey(List<Instance> instances, long silent, @Nullable LockStoreException failure) {

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
