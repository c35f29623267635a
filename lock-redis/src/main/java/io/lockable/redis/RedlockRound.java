package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.redis.Votes.Vote;
import org.jspecify.annotations.Nullable;

/**
 * One question to all masters at the same time. It ends when all have answered or failed,
 * when the answers decide it, or when the time is over; what comes later does not count.
 *
 * @param <T> the type of an answer
 */
final class RedlockRound<T> {

	private final AtomicReferenceArray<@Nullable Vote<T>> votes;

	private final Predicate<Votes<T>> decided;

	private final Predicate<Votes<T>> enough;

	private final CompletableFuture<Votes<T>> outcome = new CompletableFuture<>();

	private volatile boolean patient = true;

	private RedlockRound(int masters, Predicate<Votes<T>> decided, Predicate<Votes<T>> enough) {
		this.votes = new AtomicReferenceArray<>(masters);
		this.decided = decided;
		this.enough = enough;
	}

	/**
	 * Asks all masters.
	 * @param masters the masters
	 * @param timer ends the wait
	 * @param question asks one of them
	 * @param decided whether to wait for no more answers
	 * @param <T> the type of an answer
	 * @return what was answered in time
	 */
	static <T> CompletionStage<Votes<T>> ask(List<RedlockMaster> masters, RedlockTimer timer,
			Function<RedlockMaster, CompletionStage<T>> question, Predicate<Votes<T>> decided) {
		return ask(masters, timer, question, decided, Long.MAX_VALUE, decided);
	}

	/**
	 * Asks all masters, and waits for the last of them only for a while.
	 * @param masters the masters
	 * @param timer ends the wait
	 * @param question asks one of them
	 * @param decided whether to wait for no more answers
	 * @param grace after how many nanoseconds less is enough
	 * @param enough whether to wait for no more answers after that
	 * @param <T> the type of an answer
	 * @return what was answered in time
	 */
	static <T> CompletionStage<Votes<T>> ask(List<RedlockMaster> masters, RedlockTimer timer,
			Function<RedlockMaster, CompletionStage<T>> question, Predicate<Votes<T>> decided, long grace,
			Predicate<Votes<T>> enough) {
		RedlockRound<T> round = new RedlockRound<>(masters.size(), decided, enough);
		long limit = 0;
		for (RedlockMaster master : masters) {
			limit = Math.max(limit, master.patience());
		}
		for (int i = 0; i < masters.size(); i++) {
			int index = i;
			question.apply(masters.get(i))
				.whenComplete((answer, failure) -> round.answered(index, new Vote<>(answer, failure)));
		}
		round.limit(timer, limit, grace);
		return round.outcome;
	}

	private void limit(RedlockTimer timer, long limit, long grace) {
		if (this.outcome.isDone()) {
			return;
		}
		Runnable ending = timer.after(limit, this::end);
		if (ending == null) {
			// The store was closed: nothing would end the wait for a master that hangs.
			end();
			return;
		}
		Runnable hurrying = (grace < limit) ? timer.after(grace, this::hurry) : null;
		CompletionStage<Votes<T>> ended = this.outcome;
		ended.whenComplete((votes, failure) -> {
			ending.run();
			if (hurrying != null) {
				hurrying.run();
			}
		});
	}

	private void answered(int index, Vote<T> vote) {
		this.votes.set(index, vote);
		look();
	}

	private void hurry() {
		this.patient = false;
		look();
	}

	private void look() {
		Votes<T> now = votes();
		if (now.isComplete() || this.decided.test(now) || (!this.patient && this.enough.test(now))) {
			this.outcome.complete(now);
		}
	}

	private void end() {
		this.outcome.complete(votes());
	}

	private Votes<T> votes() {
		List<@Nullable Vote<T>> all = new ArrayList<>(this.votes.length());
		for (int i = 0; i < this.votes.length(); i++) {
			all.add(this.votes.get(i));
		}
		return new Votes<>(all);
	}

}
