package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;

import io.lockable.LockException;
import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The effects of one step.
 */
final class Effects {

	private static final Outcome REFUSED = new Outcome.Refused();

	private final List<Effect> effects = new ArrayList<>(4);

	void add(Effect effect) {
		this.effects.add(effect);
	}

	void complete(Request request, Outcome outcome) {
		add(new Effect.Complete(request.owner(), outcome));
	}

	void fail(Request request, LockException failure) {
		complete(request, new Outcome.Failed(failure));
	}

	/**
	 * Refuses requests.
	 * @param requests the requests
	 * @param failure the failure that leaves the holder unknown, or {@code null} if
	 * another owner has the lock
	 */
	void refuse(List<Request> requests, @Nullable LockStoreException failure) {
		Outcome outcome = (failure != null) ? new Outcome.Failed(failure) : REFUSED;
		requests.forEach((request) -> complete(request, outcome));
	}

	void completeReleases(List<String> owners, boolean held, @Nullable LockStoreException failure) {
		if (!owners.isEmpty()) {
			add(new Effect.CompleteRelease(owners, held, failure));
		}
	}

	List<Effect> list() {
		return this.effects;
	}

}
