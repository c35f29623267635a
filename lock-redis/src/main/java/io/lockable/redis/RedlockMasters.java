package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.Votes.Vote;
import org.jspecify.annotations.Nullable;

/**
 * All masters of a Redlock store.
 */
final class RedlockMasters {

	private static final long MARGIN = TimeUnit.SECONDS.toNanos(10);

	private final List<RedlockMaster> all;

	private final long timeout;

	private final EngineRuntime runtime;

	private final AtomicLong longestLease = new AtomicLong();

	private final AtomicLong questions = new AtomicLong();

	/**
	 * Creates the group.
	 * @param all the masters
	 * @param timeout the time limit for the answer of one master, in nanoseconds
	 * @param runtime the time and the random numbers of the store
	 */
	RedlockMasters(List<RedlockMaster> all, long timeout, EngineRuntime runtime) {
		this.all = List.copyOf(all);
		this.timeout = timeout;
		this.runtime = runtime;
	}

	EngineRuntime runtime() {
		return this.runtime;
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
	boolean mayMix() {
		return this.all.stream().allMatch((master) -> master.slots().mayMix());
	}

	/**
	 * Decides whether one lock of a script over several locks must be run again alone.
	 * @param votes the answers of the masters for all locks
	 * @param index the index of the lock
	 * @return whether a master has no valid answer for this lock
	 */
	boolean mustRunAlone(Votes<List<Long>> votes, int index) {
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
	 * @param question asks one master
	 * @param decided whether the answers so far are sufficient
	 * @param <T> the type of an answer
	 * @return the answers received in time
	 */
	<T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<Votes<T>> decided) {
		return ask(question, decided, Long.MAX_VALUE, decided);
	}

	/**
	 * Asks all masters, and waits for late answers only during a grace period.
	 * @param question asks one master
	 * @param decided whether the answers so far are sufficient
	 * @param grace the grace period in nanoseconds
	 * @param enough whether the answers so far are sufficient after the grace period
	 * @param <T> the type of an answer
	 * @return the answers received in time
	 */
	<T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question, Predicate<Votes<T>> decided,
			long grace, Predicate<Votes<T>> enough) {
		return new Round<>(decided, enough).start(question, grace);
	}

	/**
	 * Asks all masters a question that the majority decides.
	 * @param key the full name of the lock
	 * @param question asks one master
	 * @param yes the answers that count as yes
	 * @param <T> the type of an answer
	 * @return whether the majority answers yes, or a
	 * {@link io.lockable.LockStoreException}
	 */
	<T> CompletionStage<Boolean> decide(String key, Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<T> yes) {
		return this.<T>ask(question, (votes) -> votes.isDecided(yes))
			.thenApply((votes) -> votes.decide(key, yes, yes.negate()));
	}

	/**
	 * Returns a number for a question that acquires a lock.
	 * @return a number greater than those of earlier questions
	 */
	long newQuestion() {
		return this.questions.incrementAndGet();
	}

	/**
	 * Returns a number for a call that releases a lock, in the range that Lua represents
	 * exactly.
	 * @return a positive number
	 */
	long newCall() {
		return this.runtime.random().nextLong(1, 1L << 53);
	}

	/**
	 * Returns the time after which a lease that starts about now has expired.
	 * @param lease the lease
	 * @return the time on the clock of the runtime
	 */
	long endOf(Duration lease) {
		return this.runtime.now() + lease.toNanos() + MARGIN;
	}

	/**
	 * Returns whether a lease is still valid on each master that has set it. A master
	 * started it after {@code sentAt}. The engine computes the holder's deadline from an
	 * even earlier time.
	 * @param lease the lease
	 * @param sentAt the time before the command was sent, on the clock of the runtime
	 * @return whether it is valid
	 */
	boolean isValid(Duration lease, long sentAt) {
		return Deadline.ofLease(sentAt, lease) - this.runtime.now() > 0;
	}

	/**
	 * Records the lease of a lock, for {@link #endOfAnyLease()}.
	 * @param lease the lease
	 */
	void note(Duration lease) {
		this.longestLease.accumulateAndGet(lease.toNanos(), Math::max);
	}

	/**
	 * Returns the time after which every lease held now has expired.
	 * @return the time on the clock of the runtime
	 */
	long endOfAnyLease() {
		return endOf(Duration.ofNanos(this.longestLease.get()));
	}

	/**
	 * Closes the script runners of the masters.
	 */
	void close() {
		this.all.forEach(RedlockMaster::close);
	}

	/**
	 * One question to all masters at the same time. The round ends when all masters have
	 * answered or failed, when the answers decide it, or at its time limit. Later answers
	 * do not count.
	 *
	 * @param <T> the type of an answer
	 */
	private final class Round<T> {

		private final Predicate<Votes<T>> decided;

		private final Predicate<Votes<T>> enough;

		private final AtomicReferenceArray<@Nullable Vote<T>> votes = new AtomicReferenceArray<>(
				RedlockMasters.this.all.size());

		private final CompletableFuture<Votes<T>> outcome = new CompletableFuture<>();

		private volatile boolean graceOver;

		Round(Predicate<Votes<T>> decided, Predicate<Votes<T>> enough) {
			this.decided = decided;
			this.enough = enough;
		}

		CompletionStage<Votes<T>> start(Function<RedlockMaster, CompletionStage<T>> question, long grace) {
			long limit = RedlockMasters.this.all.stream().mapToLong(RedlockMaster::timeout).max().orElse(0);
			for (int i = 0; i < this.votes.length(); i++) {
				int index = i;
				question.apply(get(i)).whenComplete((answer, failure) -> {
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
			EngineRuntime runtime = RedlockMasters.this.runtime;
			runtime.scheduleUnless(this.outcome, task, runtime.now() + nanos);
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
