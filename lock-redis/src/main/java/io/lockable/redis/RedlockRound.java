package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.redis.Votes.Vote;
import org.jspecify.annotations.Nullable;

/**
 * One question to all masters at the same time. The round ends when all masters have
 * answered or failed, when the answers decide it, or at its time limit. Later answers do
 * not count.
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
	 * @param question asks one master
	 * @param decided whether the answers so far are sufficient
	 * @param enough whether the answers so far are sufficient after the grace period
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
	 * @param grace the grace period in nanoseconds
	 * @return the answers received in time
	 */
	CompletionStage<Votes<T>> start(long grace) {
		long limit = this.masters.stream().mapToLong(RedlockMaster::timeout).max().orElse(0);
		for (int i = 0; i < this.masters.size(); i++) {
			int index = i;
			this.question.apply(this.masters.get(i)).whenComplete((answer, failure) -> {
				this.votes.set(index, new Vote<>(answer, failure));
				check();
			});
		}
		after(limit, () -> this.outcome.complete(votes()));
		if (grace < limit) {
			after(grace, () -> {
				this.graceOver = true;
				check();
			});
		}
		return this.outcome;
	}

	/**
	 * Runs a task after a delay, unless the round ends before.
	 */
	private void after(long nanos, Runnable task) {
		CompletableFuture<Votes<T>> limited = this.outcome.copy().orTimeout(nanos, TimeUnit.NANOSECONDS);
		limited.whenComplete((votes, failure) -> {
			if (failure instanceof TimeoutException) {
				task.run();
			}
		});
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
