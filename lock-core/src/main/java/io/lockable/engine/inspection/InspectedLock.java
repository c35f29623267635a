package io.lockable.engine.inspection;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock in the store, with the answers of the instances that hold it.
 *
 * @param lock the lock in the store
 * @param holders the answer for each of the first {@linkplain StoredLock#holders()
 * holders}, in their order; {@code null} if the instance did not answer in time, or only
 * retains the lock. The value in the store may lag behind hand-offs in an instance, whose
 * answer is the current one
 * @since 0.1.0
 */
public record InspectedLock(StoredLock lock, List<@Nullable LockInfo> holders) {

	/**
	 * Copies the holders.
	 */
	public InspectedLock {
		holders = Collections.unmodifiableList(new ArrayList<>(holders));
	}

}
