package io.lockable.redis;

import java.time.Duration;
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

	boolean isOrdered() {
		return this.all.stream().allMatch(RedlockMaster::isOrdered);
	}

	long timeout() {
		return this.timeout;
	}

	/**
	 * Asks all masters the same question at the same time. The round ends when all
	 * masters have answered or failed, when the answers decide it, or at its time limit.
	 * Later answers do not count.
	 * @param question asks one master
	 * @param decided whether the answers so far are sufficient
	 * @param <T> the type of an answer
	 * @return the answers received in time
	 */
	<T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<Votes<T>> decided) {
		AtomicReferenceArray<@Nullable Vote<T>> votes = new AtomicReferenceArray<>(this.all.size());
		CompletableFuture<Votes<T>> outcome = new CompletableFuture<>();
		long limit = this.all.stream().mapToLong(RedlockMaster::timeout).max().orElse(0);
		for (int i = 0; i < votes.length(); i++) {
			int index = i;
			question.apply(get(i)).whenComplete((answer, failure) -> {
				votes.set(index, new Vote<>(answer, failure));
				Votes<T> now = Votes.of(votes);
				if (now.isComplete() || decided.test(now)) {
					outcome.complete(now);
				}
			});
		}
		this.runtime.scheduleUnless(outcome, () -> outcome.complete(Votes.of(votes)), this.runtime.now() + limit);
		return outcome;
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
		return this.<T>ask(question, (votes) -> votes.isDecided(yes)).thenApply((votes) -> votes.decide(key, yes));
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

}
