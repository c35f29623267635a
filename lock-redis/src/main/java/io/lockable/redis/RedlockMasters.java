package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.LockStoreException;
import io.lockable.redis.Votes.Vote;
import org.jspecify.annotations.Nullable;

/**
 * All masters of a Redlock store.
 */
final class RedlockMasters {

	private static final long MARGIN = TimeUnit.SECONDS.toNanos(10);

	private final List<RedlockMaster> all;

	private final RedlockTimer timer;

	private final long timeout;

	private final AtomicLong longestLease = new AtomicLong();

	RedlockMasters(List<RedlockMaster> all, RedlockTimer timer, long timeout) {
		this.all = List.copyOf(all);
		this.timer = timer;
		this.timeout = timeout;
	}

	RedlockMaster get(int index) {
		return this.all.get(index);
	}

	/**
	 * Returns how long one master may take to answer.
	 * @return the time in nanoseconds
	 */
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
	 * Decides whether one lock of a script over several must be run again by itself.
	 * @param votes the answers of the masters for all locks
	 * @param index which lock it is
	 * @return whether a master has no answer for this lock that counts
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

	<T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question,
			Predicate<Votes<T>> decided) {
		return RedlockRound.ask(this.all, this.timer, question, decided);
	}

	<T> CompletionStage<Votes<T>> ask(Function<RedlockMaster, CompletionStage<T>> question, Predicate<Votes<T>> decided,
			long grace, Predicate<Votes<T>> enough) {
		return RedlockRound.ask(this.all, this.timer, question, decided, grace, enough);
	}

	CompletionStage<Boolean> pause(long nanos) {
		return this.timer.pause(nanos);
	}

	/**
	 * Returns a number for a call that releases a lock, which Lua can represent.
	 * @return a positive number
	 */
	static long newCall() {
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
	 * Notes how long a lock may live.
	 * @param lease its lease
	 */
	void note(Duration lease) {
		this.longestLease.accumulateAndGet(lease.toNanos(), Math::max);
	}

	/**
	 * Returns when the lease of any lock that is held now has surely ended.
	 * @return the time, as {@link System#nanoTime()}
	 */
	long endOfAnyLease() {
		return endOf(Duration.ofNanos(this.longestLease.get()));
	}

	/**
	 * Tells that too few masters have answered to decide. Trying again makes sense if
	 * enough of them said that they cannot serve right now.
	 * @param key the full name of the lock
	 * @param votes what was answered
	 * @return the failure
	 */
	static LockStoreException noMajority(String key, Votes<?> votes) {
		int answered = 0;
		int temporary = 0;
		Throwable cause = null;
		for (Vote<?> vote : votes.all()) {
			if (vote != null && vote.answer() != null) {
				answered++;
			}
			else if (vote != null) {
				cause = vote.failure();
				temporary += isTemporary(cause) ? 1 : 0;
			}
		}
		return new LockStoreException(
				"Only %d of %d Redis masters gave a decisive answer for lock '%s', a majority of %d is required%s"
					.formatted(answered, votes.all().size(), key, votes.majority(),
							(cause != null) ? ": " + unwrap(cause).getMessage() : ""),
				cause, temporary > 0 && answered + temporary >= votes.majority());
	}

	private static boolean isTemporary(@Nullable Throwable failure) {
		return failure != null && unwrap(failure) instanceof LockStoreException known && known.isRetryable();
	}

	private static Throwable unwrap(Throwable failure) {
		Throwable cause = failure;
		while (cause instanceof CompletionException && cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	void close() {
		this.timer.close();
		this.all.forEach(RedlockMaster::close);
	}

}
