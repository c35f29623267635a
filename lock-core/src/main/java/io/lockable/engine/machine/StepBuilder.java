package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.LockException;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Inputs.Settings;
import org.jspecify.annotations.Nullable;

/**
 * A step while the rules compute it.
 *
 * @param in the inputs
 * @param effects the effects so far
 */
record StepBuilder(Inputs in, List<Effect> effects) {

	/**
	 * The time until a failed command is retried.
	 */
	static final long RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private static final Outcome REFUSED = new Outcome.Refused();

	StepBuilder(Inputs in) {
		this(in, new ArrayList<>(4));
	}

	long now() {
		return this.in.now();
	}

	Settings settings() {
		return this.in.settings();
	}

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
	 * Refuses a request.
	 * @param request the request
	 * @param failure the failure that leaves the holder unknown, or {@code null} if
	 * another owner has the lock
	 */
	void refuse(Request request, @Nullable LockStoreException failure) {
		complete(request, (failure != null) ? new Outcome.Failed(failure) : REFUSED);
	}

	/**
	 * Refuses the requests that try once, or whose wait is over.
	 * @param waiting the requests
	 * @param failure the failure that leaves the holder unknown, or {@code null} if
	 * another owner has the lock
	 * @return the other requests
	 */
	WaitQueue refuseOver(WaitQueue waiting, @Nullable LockStoreException failure) {
		return waiting.without((request) -> request.isOver(now()), (request) -> refuse(request, failure));
	}

	void completeReleases(List<String> owners, boolean held, @Nullable LockStoreException failure) {
		if (!owners.isEmpty()) {
			add(new Effect.CompleteRelease(owners, held, failure));
		}
	}

}
