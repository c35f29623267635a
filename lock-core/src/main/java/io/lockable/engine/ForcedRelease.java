package io.lockable.engine;

import java.util.List;

import io.lockable.store.StoredLock;

/**
 * The outcome of a {@linkplain LockEngine#forceRelease forced release}.
 *
 * @param key the full name of the lock
 * @param released the holders from which the lock was released, as found before
 * @param gone the holders that no longer held the lock at the release; nothing was
 * changed for them
 * @param unknown the holders for which the store failed or timed out while it answered
 * for others; their lock may be released or not
 * @since 0.1.0
 */
public record ForcedRelease(String key, List<StoredLock.Holder> released, List<StoredLock.Holder> gone,
		List<StoredLock.Holder> unknown) {

	/**
	 * Copies the holders.
	 */
	public ForcedRelease {
		released = List.copyOf(released);
		gone = List.copyOf(gone);
		unknown = List.copyOf(unknown);
	}

}
