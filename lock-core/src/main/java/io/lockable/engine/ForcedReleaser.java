package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.lockable.LockStoreException;
import io.lockable.engine.shell.KeyShells;
import io.lockable.store.StoredLock;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases locks by force, independent of their holders.
 *
 * @param shells the locks of this instance
 */
record ForcedReleaser(KeyShells shells) {

	private static final Logger log = LoggerFactory.getLogger(ForcedReleaser.class);

	/**
	 * Releases a lock for some holders. A holder in this instance is notified when the
	 * answer arrives, even after the caller timed out.
	 * @param key the full name of the lock
	 * @param holders the holders
	 * @return the outcome
	 * @throws LockStoreException if it is unknown for all holders
	 */
	ForcedRelease release(String key, List<StoredLock.Holder> holders) {
		List<CompletionStage<Boolean>> sent = holders.stream().map((holder) -> release(key, holder.owner())).toList();
		List<StoredLock.Holder> released = new ArrayList<>();
		List<StoredLock.Holder> gone = new ArrayList<>();
		List<StoredLock.Holder> unknown = new ArrayList<>();
		LockStoreException failure = null;
		long deadline = this.shells.store().answerDeadline();
		for (int i = 0; i < sent.size(); i++) {
			try {
				boolean held = this.shells.store().await(sent.get(i), key, deadline);
				(held ? released : gone).add(holders.get(i));
			}
			catch (LockStoreException ex) {
				unknown.add(holders.get(i));
				failure = ex;
			}
		}
		if (failure != null) {
			if (unknown.size() == holders.size()) {
				throw failure;
			}
			log.warn("The forced release of lock '{}' for {} holders failed: some of them may still hold the lock",
					LogSafe.of(key), holders.size(), failure);
		}
		return new ForcedRelease(key, released, gone, unknown);
	}

	private CompletionStage<Boolean> release(String key, String owner) {
		CompletionStage<Boolean> answer = this.shells.store()
			.call(key, this.shells.store().givingBack(key, owner, null));
		// A completed answer is handled on the caller's thread, which may block.
		Executor executor = answer.toCompletableFuture().isDone() ? Runnable::run : this.shells.store()::dispatch;
		return answer.thenApply((released) -> {
			if (released) {
				executor.execute(() -> this.shells.forced(key, owner));
			}
			return released;
		});
	}

}
