package io.lockable.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lockable.redis.script.ScriptRunner;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.LockStore;
import io.lockable.store.LockStore.LeaseRequest;

/**
 * Acquires several locks, all or none, with one script. If the server refuses that
 * script, the locks are acquired one after the other. The first refused or failed lock
 * ends this sequence, and the locks acquired before it are released.
 */
final class JointAcquisition {

	private JointAcquisition() {
	}

	/**
	 * Starts the acquisition.
	 * @param scripts runs the script for all locks
	 * @param store acquires and releases single locks
	 * @param requests the locks, in the order of acquisition
	 * @return the answers by the full name of the lock
	 */
	static CompletionStage<Map<String, Acquisition>> start(ScriptRunner scripts, LockStore store,
			List<LeaseRequest> requests) {
		return scripts
			.run(LockScripts.ACQUIRE_ALL, LeaseRequests.keys(requests, LockKeys::ofFree),
					LeaseRequests.arguments(requests), Function.identity())
			.handle((results, failure) -> {
				boolean alone = (results != null)
						? results.stream().anyMatch((result) -> scripts.slots().mustRunAlone(result, null))
						: scripts.slots().mustRunAlone(null, failure);
				if (alone) {
					return startInOrder(store, requests);
				}
				return (failure != null) ? CompletableFuture.<Map<String, Acquisition>>failedFuture(failure)
						: CompletableFuture.completedFuture(answers(requests, results));
			})
			.thenCompose(Function.identity());
	}

	private static Map<String, Acquisition> answers(List<LeaseRequest> requests, List<Long> results) {
		Map<String, Acquisition> answers = new HashMap<>();
		for (int i = 0; i < results.size(); i++) {
			if (results.get(i) != 0) {
				answers.put(requests.get(i).key(), LockAnswers.acquisition(results.get(i)));
			}
		}
		return answers;
	}

	private static CompletionStage<Map<String, Acquisition>> startInOrder(LockStore store,
			List<LeaseRequest> requests) {
		if (requests.isEmpty()) {
			return CompletableFuture.completedFuture(new HashMap<>());
		}
		LeaseRequest first = requests.get(0);
		return store.acquire(first.key(), first.owner(), first.lease()).thenCompose((answer) -> {
			if (answer instanceof Refused) {
				return CompletableFuture.completedFuture(new HashMap<>(Map.of(first.key(), answer)));
			}
			return startInOrder(store, requests.subList(1, requests.size())).handle((others, failure) -> {
				if (others == null || others.values().stream().anyMatch(Refused.class::isInstance)) {
					return store.release(first.key(), first.owner())
						.thenCompose((released) -> (failure != null)
								? CompletableFuture.<Map<String, Acquisition>>failedFuture(failure)
								: CompletableFuture.completedFuture(others));
				}
				others.put(first.key(), answer);
				return CompletableFuture.completedFuture(others);
			}).thenCompose(Function.identity());
		});
	}

}
