package io.lockable.redis.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.Internal;
import io.lockable.redis.redlock.Votes.Vote;
import org.jspecify.annotations.Nullable;

/**
 * All masters of a Redlock store.
 *
 * @since 0.1.0
 */
@Internal
public final class RedlockMasters {

	private static final long MARGIN = TimeUnit.SECONDS.toNanos(10);

	private final List<RedlockMaster> all;

	private final long timeout;

	private final AtomicLong longestLease = new AtomicLong();

	private volatile boolean closed;

	/**
	 * Creates the group.
	 * @param all the masters
	 * @param timeout how long one master may take to answer, in nanoseconds
	 */
	public RedlockMasters(List<RedlockMaster> all, long timeout) {
		this.all = List.copyOf(all);
		this.timeout = timeout;
	}

	RedlockMaster get(int index) {
		return this.all.get(index);
	}

	long timeout() {
		return this.timeout;
	}

	/**
	 * Returns whether one script may have the keys of several locks on every master.
	 * @return {@code false} once a master has refused it
	 */
	public boolean mayMix() {
		return this.all.stream().allMatch((master) -> master.slots().mayMix());
	}

	/**
	 * Decides whether one lock of a script over several must be run again by itself.
	 * @param votes the answers of the masters for all locks
	 * @param index which lock it is
	 * @return whether a master has no answer for this lock that counts
	 */
	public boolean mustRunAlone(Votes<List<Long>> votes, int index) {
		boolean alone = false;
		for (int i = 0; i < this.all.size(); i++) {
			Vote<List<Long>> vote = votes.all().get(i);
			if (vote != null) {
				List<Long> answers = vote.answer();
				alone |= this.all.get(i)
					.slots()
					.mustRunAlone((answers != null) ? answers.get(index) : null, vote.failure());
			}
		}
		return alone;
	}

	/**
	 * Asks all masters the same question at the same time.
	 * @param question asks one of them
	 * @param decided whether to wait for no more answers
	 * @param <T> the type of an answer
	 * @return the answers that came in time
	 */
	public <T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<Votes<T>> decided) {
		return ask(question, decided, Long.MAX_VALUE, decided);
	}

	/**
	 * Asks all masters, and waits for the last of them only for a while.
	 * @param question asks one of them
	 * @param decided whether to wait for no more answers
	 * @param grace after how many nanoseconds less is enough
	 * @param enough whether to wait for no more answers after that
	 * @param <T> the type of an answer
	 * @return the answers that came in time
	 */
	<T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question, Predicate<Votes<T>> decided,
			long grace, Predicate<Votes<T>> enough) {
		// A closed store does not wait for a master that hangs
		long limit = this.closed ? 0 : this.all.stream().mapToLong(RedlockMaster::timeout).max().orElse(0);
		return new RedlockRound<>(this.all, question, decided, enough).start(limit, grace);
	}

	/**
	 * Asks all masters a question of which the majority decides the answer.
	 * @param key the full name of the lock
	 * @param question asks one of them
	 * @param yes the answers that count as yes
	 * @param <T> the type of an answer
	 * @return whether the majority says yes, or a {@link io.lockable.LockStoreException}
	 */
	public <T> CompletionStage<Boolean> decide(String key, Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<T> yes) {
		return this.<T>ask(question, (votes) -> votes.isDecided(yes))
			.thenApply((votes) -> votes.decide(key, yes, yes.negate()));
	}

	static CompletionStage<Boolean> pause(long nanos) {
		return new CompletableFuture<Boolean>().completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Returns a number for a call that releases a lock, which Lua can represent.
	 * @return a positive number
	 */
	public static long newCall() {
		return ThreadLocalRandom.current().nextLong(1, 1L << 53);
	}

	/**
	 * Returns when a lease has surely ended that begins about now.
	 * @param lease the lease
	 * @return the time, as {@link System#nanoTime()}
	 */
	long endOf(Duration lease) {
		return System.nanoTime() + lease.toNanos() + MARGIN;
	}

	/**
	 * Records how long a lock may live.
	 * @param lease its lease
	 */
	public void note(Duration lease) {
		this.longestLease.accumulateAndGet(lease.toNanos(), Math::max);
	}

	/**
	 * Returns when the lease of any lock that is held now has surely ended.
	 * @return the time, as {@link System#nanoTime()}
	 */
	public long endOfAnyLease() {
		return endOf(Duration.ofNanos(this.longestLease.get()));
	}

	/**
	 * Ends the waits of later calls and closes what runs the scripts of the masters.
	 */
	public void close() {
		this.closed = true;
		this.all.forEach(RedlockMaster::close);
	}

	/**
	 * One question to all masters at the same time. It ends when all have answered or
	 * failed, when the answers decide it, or at its time limit; later answers do not
	 * count.
	 *
	 * @param <T> the type of an answer
	 */
	private static final class RedlockRound<T> {

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
		 * Does something later, unless the round has ended by then. It must not block:
		 * the thread serves all timeouts of the JVM.
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

}
