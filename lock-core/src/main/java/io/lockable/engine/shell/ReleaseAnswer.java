package io.lockable.engine.shell;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Receives the answer of the server to a release. The first answer counts: a transfer and
 * the release behind it may both confirm the same release. Thread-safe.
 */
abstract class ReleaseAnswer {

	private final AtomicBoolean ended = new AtomicBoolean();

	/**
	 * Ends the release, unless it has ended.
	 * @param held whether the lock was still held
	 * @param failure the failure, or {@code null} for an answer
	 */
	final void end(boolean held, @Nullable LockStoreException failure) {
		if (this.ended.compareAndSet(false, true)) {
			ended(held, failure);
		}
	}

	/**
	 * Ends several releases, each of them also after another has failed.
	 * @param answers the releases
	 * @param held whether the lock was still held
	 * @param failure the failure, or {@code null} for an answer
	 */
	static void endAll(List<ReleaseAnswer> answers, boolean held, @Nullable LockStoreException failure) {
		if (!answers.isEmpty()) {
			try {
				answers.get(0).end(held, failure);
			}
			finally {
				endAll(answers.subList(1, answers.size()), held, failure);
			}
		}
	}

	/**
	 * Called once with the first answer.
	 * @param held whether the lock was still held
	 * @param failure the failure, or {@code null} for an answer
	 */
	abstract void ended(boolean held, @Nullable LockStoreException failure);

}
