package io.lockable.store;

import java.util.concurrent.CompletionStage;

/**
 * A store that tells who holds a lock, of whichever instance.
 *
 * @since 0.1.0
 */
public interface InspectableLockStore extends LockStore {

	/**
	 * Looks at a lock. Changes nothing, and is answered by what the locks are decided on,
	 * never by a copy of it.
	 * @param key the full name of the lock
	 * @return the lock, without holders if it is free
	 */
	CompletionStage<StoredLock> look(String key);

}
