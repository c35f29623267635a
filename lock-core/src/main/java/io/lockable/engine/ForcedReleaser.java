package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.lockable.LockStoreException;
import io.lockable.LogSafe;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.StoreAccess;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases locks by force, independent of their holders.
 *
 * @param store the access to the store
 * @param shells the locks of this instance
 */
record ForcedReleaser(StoreAccess store, KeyShells shells) {

	private static final Logger log = LoggerFactory.getLogger(ForcedReleaser.class);

	/**
	 * Releases the locks of some holders. A holder in this instance is notified when the
	 * answer arrives, even after the caller timed out.
	 * @param key the full name of the lock
	 * @param owners their owner tokens
	 * @return for each owner whether it still held the lock, {@code null} if unknown
	 * @throws LockStoreException if the result is unknown for all owners
	 */
	List<@Nullable Boolean> release(String key, List<String> owners) {
		List<CompletionStage<Boolean>> sent = owners.stream().map((owner) -> release(key, owner)).toList();
		List<@Nullable Boolean> answers = new ArrayList<>();
		LockStoreException failure = null;
		boolean known = sent.isEmpty();
		for (CompletionStage<Boolean> answer : sent) {
			try {
				answers.add(this.store.await(answer, key));
				known = true;
			}
			catch (LockStoreException ex) {
				answers.add(null);
				failure = ex;
			}
		}
		if (failure != null) {
			if (!known) {
				throw failure;
			}
			log.warn("The forced release of lock '{}' for {} holders failed: some of them may still hold the lock",
					LogSafe.of(key), owners.size(), failure);
		}
		return answers;
	}

	private CompletionStage<Boolean> release(String key, String owner) {
		CompletionStage<Boolean> answer = this.store.release(key, owner);
		// A completed answer is handled on the caller's thread, which may block.
		Executor executor = answer.toCompletableFuture().isDone() ? Runnable::run : this.store::dispatch;
		return answer.thenApply((released) -> {
			if (released) {
				executor.execute(() -> this.shells.forced(key, owner));
			}
			return released;
		});
	}

}
