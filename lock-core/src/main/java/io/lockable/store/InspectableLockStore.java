package io.lockable.store;

import java.util.concurrent.CompletionStage;

/**
 * A store that reports the holders of a lock in all instances.
 *
 * @since 0.1.0
 */
public interface InspectableLockStore extends LockStore {

	/**
	 * Looks up a lock without changing it. The answer comes from the servers that decide
	 * on locks, never from a replica.
	 * @param key the full name of the lock
	 * @return the lock, without holders if it is free
	 */
	CompletionStage<StoredLock> look(String key);

}
