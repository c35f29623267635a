package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;

import io.lockable.store.StoredHolder;

/**
 * What a {@linkplain LockEngine#forceRelease forced release} has done.
 *
 * @param key the full name of the lock
 * @param released whose lock was released, as it was found before
 * @param gone who held the lock when it was looked at, and did no longer when it was to
 * be released: nothing was done about those
 * @since 0.1.0
 */
public record ForcedRelease(String key, List<StoredHolder> released, List<StoredHolder> gone) {

	/**
	 * Copies the holders.
	 */
	public ForcedRelease {
		released = List.copyOf(released);
		gone = List.copyOf(gone);
	}

	static ForcedRelease of(String key, List<StoredHolder> holders, List<Boolean> answers) {
		List<StoredHolder> released = new ArrayList<>();
		List<StoredHolder> gone = new ArrayList<>();
		for (int i = 0; i < holders.size(); i++) {
			(answers.get(i) ? released : gone).add(holders.get(i));
		}
		return new ForcedRelease(key, released, gone);
	}

}
