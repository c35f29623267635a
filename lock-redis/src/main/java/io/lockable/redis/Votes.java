package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

import io.lockable.LockStoreException;
import io.lockable.redis.script.RedisFailures;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the masters to one question so far, in the order of the masters.
 *
 * @param all the vote of each master; {@code null} until it has answered or failed
 * @param <T> the type of an answer
 */
record Votes<T>(List<@Nullable Vote<T>> all) {

	/**
	 * Returns the votes so far.
	 * @param current the vote of each master
	 * @param <T> the type of an answer
	 * @return a snapshot
	 */
	static <T> Votes<T> of(AtomicReferenceArray<@Nullable Vote<T>> current) {
		List<@Nullable Vote<T>> all = new ArrayList<>(current.length());
		for (int i = 0; i < current.length(); i++) {
			all.add(current.get(i));
		}
		return new Votes<>(all);
	}

	/**
	 * Returns the size of a majority.
	 * @return more than half of the masters
	 */
	int majority() {
		return this.all.size() / 2 + 1;
	}

	/**
	 * Returns the answers, without failures.
	 * @return the answers, in the order of the masters
	 */
	List<T> answers() {
		List<T> answers = new ArrayList<>();
		for (Vote<T> vote : this.all) {
			if (vote != null && vote.answer() != null) {
				answers.add(vote.answer());
			}
		}
		return answers;
	}

	/**
	 * Counts answers.
	 * @param wanted the answers to count
	 * @return the number of such answers
	 */
	int count(Predicate<T> wanted) {
		return (int) answers().stream().filter(wanted).count();
	}

	/**
	 * Returns whether a majority of the masters gave a wanted answer.
	 * @param wanted the answers that count
	 * @return whether there is a majority
	 */
	boolean hasMajority(Predicate<T> wanted) {
		return count(wanted) >= majority();
	}

	/**
	 * Returns whether pending answers cannot change {@link #decide}.
	 * @param yes the answers that count as yes; all others count as no
	 * @return whether there is a majority
	 */
	boolean isDecided(Predicate<T> yes) {
		return hasMajority(yes) || hasMajority(yes.negate());
	}

	/**
	 * Returns whether the majority of the masters answers yes.
	 * @param key the full name of the lock
	 * @param yes the answers that count as yes; all others count as no
	 * @return {@code false} if the majority answers no
	 * @throws LockStoreException if there is no majority
	 */
	boolean decide(String key, Predicate<T> yes) {
		if (isDecided(yes)) {
			return hasMajority(yes);
		}
		throw noMajority(key);
	}

	/**
	 * Returns whether each master has answered or failed.
	 * @return whether no answer is pending
	 */
	boolean isComplete() {
		return this.all.stream().allMatch(Objects::nonNull);
	}

	/**
	 * Returns the failure of a question that too few masters have answered. It is
	 * retryable if enough of the masters reported that they are temporarily unable to
	 * serve.
	 * @param key the full name of the lock
	 * @return the failure
	 */
	LockStoreException noMajority(String key) {
		int answered = answers().size();
		int temporary = 0;
		Throwable cause = null;
		for (Vote<T> vote : this.all) {
			if (vote != null && vote.failure() != null) {
				cause = vote.failure();
				temporary += (RedisFailures.unwrap(cause) instanceof LockStoreException known && known.isRetryable())
						? 1 : 0;
			}
		}
		return new LockStoreException(
				"Only %d of %d Redis masters gave a decisive answer for lock '%s', a majority of %d is required%s"
					.formatted(answered, this.all.size(), key, majority(),
							(cause != null) ? ": " + RedisFailures.unwrap(cause).getMessage() : ""),
				cause, temporary > 0 && answered + temporary >= majority());
	}

	/**
	 * The answer or the failure of a master.
	 *
	 * @param answer the answer, or {@code null} for a failure
	 * @param failure the failure, or {@code null} for an answer
	 * @param <T> the type of an answer
	 */
	record Vote<T>(@Nullable T answer, @Nullable Throwable failure) {

		boolean isUnsent() {
			return this.failure != null && RedisFailures.unwrap(this.failure) instanceof RedlockMaster.Unsent;
		}

		boolean is(Predicate<T> wanted) {
			return this.answer != null && wanted.test(this.answer);
		}

	}

}
