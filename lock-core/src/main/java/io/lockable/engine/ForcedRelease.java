package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;

import io.lockable.store.RemoteHolder;
import org.jspecify.annotations.Nullable;

/**
 * What a {@linkplain LockEngine#forceRelease forced release} has done.
 *
 * @param key the full name of the lock
 * @param released whose lock was released, as it was found before
 * @param gone who held the lock when it was looked at, and did no longer when it was to
 * be released: nothing was done about those
 * @param unknown of whom nothing is known, because the store failed or did not answer in
 * time, as it did for others: their lock was released or not
 * @since 0.1.0
 */
public record ForcedRelease(String key, List<RemoteHolder> released, List<RemoteHolder> gone,
		List<RemoteHolder> unknown) {

	/**
	 * Copies the holders.
	 */
	public ForcedRelease {
		released = List.copyOf(released);
		gone = List.copyOf(gone);
		unknown = List.copyOf(unknown);
	}

	static ForcedRelease of(String key, List<RemoteHolder> holders, List<@Nullable Boolean> answers) {
		List<RemoteHolder> released = new ArrayList<>();
		List<RemoteHolder> gone = new ArrayList<>();
		List<RemoteHolder> unknown = new ArrayList<>();
		for (int i = 0; i < holders.size(); i++) {
			Boolean answer = answers.get(i);
			List<RemoteHolder> answered = Boolean.TRUE.equals(answer) ? released : gone;
			((answer != null) ? answered : unknown).add(holders.get(i));
		}
		return new ForcedRelease(key, released, gone, unknown);
	}

}
