package io.lockable.redis.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.redis.redlock.Votes.Vote;
import org.jspecify.annotations.Nullable;

/**
 * One question to all masters at the same time. It ends when all have answered or failed,
 * when the answers decide it, or at its time limit; later answers do not count.
 *
 * @param <T> the type of an answer
 */
final class RedlockRound<T> {

	private final List<RedlockMaster> masters;

	private final Function<RedlockMaster, CompletionStage<T>> question;

	private final Predicate<Votes<T>> decided;

	private final Predicate<Votes<T>> enough;

	private final AtomicReferenceArray<@Nullable Vote<T>> votes;

	private final CompletableFuture<Votes<T>> outcome = new CompletableFuture<>();

	private volatile boolean graceOver;

	/**
	 * Creates a round.
	 * @param masters the masters
	 * @param question asks one of them
	 * @param decided whether to wait for no more answers
	 * @param enough the same, once the grace period is over
	 */
	RedlockRound(List<RedlockMaster> masters, Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<Votes<T>> decided, Predicate<Votes<T>> enough) {
		this.masters = masters;
		this.question = question;
		this.decided = decided;
		this.enough = enough;
		this.votes = new AtomicReferenceArray<>(masters.size());
	}

	/**
	 * Asks all masters.
	 * @param limit how long to wait for answers at most, in nanoseconds
	 * @param grace the grace period in nanoseconds
	 * @return the answers that came in time
	 */
	CompletionStage<Votes<T>> start(long limit, long grace) {
		for (int i = 0; i < this.masters.size(); i++) {
			int index = i;
			this.question.apply(this.masters.get(i)).whenComplete((answer, failure) -> {
				this.votes.set(index, new Vote<>(answer, failure));
				check();
			});
		}
		if (limit == 0) {
			this.outcome.complete(votes());
		}
		else if (!this.outcome.isDone()) {
			after(limit, () -> this.outcome.complete(votes()));
			if (grace < limit) {
				after(grace, () -> {
					this.graceOver = true;
					check();
				});
			}
		}
		return this.outcome;
	}

	/**
	 * Does something later, unless the round has ended by then. It must not block: the
	 * thread serves all timeouts of the JVM.
	 */
	private void after(long nanos, Runnable action) {
		CompletableFuture<Boolean> over = new CompletableFuture<Boolean>().completeOnTimeout(true, nanos,
				TimeUnit.NANOSECONDS);
		CompletionStage<Boolean> time = over;
		time.thenAccept((elapsed) -> {
			if (elapsed) {
				action.run();
			}
		});
		CompletionStage<Votes<T>> ended = this.outcome;
		ended.whenComplete((votes, failure) -> over.complete(false));
	}

	private void check() {
		Votes<T> now = votes();
		if (now.isComplete() || this.decided.test(now) || (this.graceOver && this.enough.test(now))) {
			this.outcome.complete(now);
		}
	}

	private Votes<T> votes() {
		List<@Nullable Vote<T>> all = new ArrayList<>(this.votes.length());
		for (int i = 0; i < this.votes.length(); i++) {
			all.add(this.votes.get(i));
		}
		return new Votes<>(all);
	}

}
