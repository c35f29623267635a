package io.lockable.redis;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.store.LeaseRequest;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks, all or none, with one script. If the server refuses that
 * script, the locks are acquired one after the other. The first refused or failed lock
 * ends this sequence, and the locks acquired before it are released.
 *
 * <p>
 * {@code answers} is confined to one callback at a time.
 */
final class JointAcquisition {

	private final LockStore store;

	private final List<LeaseRequest> requests;

	private final Map<String, Acquisition> answers = new HashMap<>();

	private JointAcquisition(LockStore store, List<LeaseRequest> requests) {
		this.store = store;
		this.requests = requests;
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
		byte[][] keys = requests.stream()
			.flatMap((request) -> Arrays.stream(LockKeys.ofFree(request.key())))
			.toArray(byte[][]::new);
		byte[][] arguments = ExtendScript.arguments(requests);
		return scripts.run(LockScripts.ACQUIRE_ALL, keys, arguments, Function.identity()).handle((results, failure) -> {
			if (mustRunAlone(scripts.slots(), results, failure)) {
				return new JointAcquisition(store, requests).startInOrder();
			}
			return (failure != null) ? CompletableFuture.<Map<String, Acquisition>>failedFuture(failure)
					: CompletableFuture.completedFuture(answers(requests, results));
		}).thenCompose(Function.identity());
	}

	private static boolean mustRunAlone(SlotRule slots, @Nullable List<Long> results, @Nullable Throwable failure) {
		return (results != null) ? results.stream().anyMatch((result) -> slots.mustRunAlone(result, null))
				: slots.mustRunAlone(null, failure);
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

	private CompletionStage<Map<String, Acquisition>> startInOrder() {
		CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
		for (LeaseRequest request : this.requests) {
			all = all.thenCompose((taken) -> taken ? take(request) : CompletableFuture.completedFuture(false));
		}
		return all.handle((taken, failure) -> Boolean.TRUE.equals(taken)
				? CompletableFuture.completedFuture(this.answers) : giveBack(failure))
			.thenCompose(Function.identity());
	}

	private CompletionStage<Boolean> take(LeaseRequest request) {
		return this.store.acquire(request.key(), request.owner(), request.lease()).thenApply((answer) -> {
			this.answers.put(request.key(), answer);
			return answer instanceof Granted;
		});
	}

	private CompletionStage<Map<String, Acquisition>> giveBack(@Nullable Throwable failure) {
		CompletionStage<Boolean> released = CompletableFuture.completedFuture(true);
		for (LeaseRequest request : this.requests) {
			if (this.answers.get(request.key()) instanceof Granted) {
				this.answers.remove(request.key());
				released = released.thenCombine(this.store.release(request.key(), request.owner()),
						(before, held) -> held);
			}
		}
		return released.handle((ok, unreleased) -> {
			Throwable known = (failure != null) ? failure : unreleased;
			return (known != null) ? CompletableFuture.<Map<String, Acquisition>>failedFuture(known)
					: CompletableFuture.completedFuture(this.answers);
		}).thenCompose(Function.identity());
	}

}
