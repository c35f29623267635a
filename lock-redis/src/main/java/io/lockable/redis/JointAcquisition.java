package io.lockable.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.LockScripts;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import io.lockable.store.Acquisition;
import io.lockable.store.Attempt;
import io.lockable.store.Granted;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Takes several locks, all or none. One script takes them all. Where the server does not
 * run it, the locks are taken one after the other: the first lock that is refused or
 * fails ends that, and those taken before are released.
 *
 * <p>
 * {@code taken} is used by one callback after the other.
 */
final class JointAcquisition {

	private final LockStore store;

	private final List<Attempt> attempts;

	private final List<Acquisition> taken = new ArrayList<>();

	private JointAcquisition(LockStore store, List<Attempt> attempts) {
		this.store = store;
		this.attempts = attempts;
	}

	/**
	 * Starts to take the locks.
	 * @param scripts runs the script for all of them
	 * @param store takes and releases a single lock
	 * @param attempts the locks, in the order in which to take them; each is answered by
	 * completing its result
	 */
	static void start(ScriptRunner scripts, LockStore store, List<Attempt> attempts) {
		byte[][] keys = attempts.stream()
			.flatMap((attempt) -> Arrays.stream(LockKeys.ofFree(attempt.key())))
			.toArray(byte[][]::new);
		byte[][] arguments = ScriptArguments.bytes(attempts.stream()
			.flatMap((attempt) -> Stream.of(attempt.owner(), ScriptArguments.millis(attempt.lease())))
			.toArray(String[]::new));
		scripts.run(LockScripts.ACQUIRE_ALL, keys, arguments, Function.identity()).whenComplete((result, failure) -> {
			if (mustRunAlone(scripts.slots(), result, failure)) {
				new JointAcquisition(store, attempts).startInOrder();
				return;
			}
			for (int i = 0; i < attempts.size(); i++) {
				long answer = (failure != null) ? 0 : result.get(i);
				complete(attempts.get(i), (answer != 0) ? LockAnswers.acquisition(answer) : null, failure);
			}
		});
	}

	private static boolean mustRunAlone(SlotRule slots, @Nullable List<Long> answers, @Nullable Throwable failure) {
		return (answers != null) ? answers.stream().anyMatch((answer) -> slots.mustRunAlone(answer, null))
				: slots.mustRunAlone(null, failure);
	}

	private void startInOrder() {
		CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
		for (Attempt attempt : this.attempts) {
			all = all.thenCompose((taken) -> taken ? take(attempt) : CompletableFuture.completedFuture(false));
		}
		all.thenAccept((taken) -> {
			if (taken) {
				for (int i = 0; i < this.taken.size(); i++) {
					this.attempts.get(i).result().complete(this.taken.get(i));
				}
			}
		});
	}

	private CompletionStage<Boolean> take(Attempt attempt) {
		return this.store.acquire(attempt.key(), attempt.owner(), attempt.lease()).handle((answer, failure) -> {
			if (answer instanceof Granted) {
				this.taken.add(answer);
				return true;
			}
			end(attempt, answer, failure);
			return false;
		});
	}

	private void end(Attempt last, @Nullable Acquisition answer, @Nullable Throwable failure) {
		for (Attempt attempt : this.attempts.subList(0, this.taken.size())) {
			this.store.release(attempt.key(), attempt.owner())
				.whenComplete((released, unreleased) -> complete(attempt, null, unreleased));
		}
		complete(last, answer, failure);
		this.attempts.subList(this.taken.size() + 1, this.attempts.size())
			.forEach((attempt) -> complete(attempt, null, null));
	}

	private static void complete(Attempt attempt, @Nullable Acquisition answer, @Nullable Throwable failure) {
		if (failure != null) {
			attempt.result().completeExceptionally(failure);
		}
		else {
			attempt.result().complete(answer);
		}
	}

}
